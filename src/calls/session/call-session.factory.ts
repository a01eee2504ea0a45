import { ttsSettingsOf } from '../../../agents-runtime/output/tts-pipeline.js';
import type { Agent } from '../../features/agents/agent.model.js';
import type { AgentsRepository } from '../../features/agents/agents.repository.js';
import type { ResolveCallConfig } from '../../features/agents/resolve-call-config.js';
import type { CallOptions } from '../store/call.model.js';
import type { AccountRefusal } from '../store/calls.repository.js';
import { CallSession, type CallSessionParts } from './call-session.js';

export interface CallSessionFactoryParts extends CallSessionParts {
  readonly gatewayId: string;
  readonly agents: Pick<AgentsRepository, 'find'>;
  readonly resolveConfig: ResolveCallConfig;
}

/**
 * Why a call cannot start here. `not_reserved`: a gateway has it already, which may be this one; or it has
 * ended or never existed.
 */
export type ClaimRefusal =
  | AccountRefusal
  | 'draining'
  | 'not_reserved'
  | 'no_agent'
  | 'agent_not_deployed';

/** Creates the sessions of calls, over any transport. */
export class CallSessionFactory {
  readonly #parts: CallSessionFactoryParts;

  constructor(parts: CallSessionFactoryParts) {
    this.#parts = parts;
  }

  /**
   * Warms the caches of this gateway for an agent's next call: greeting, LLM prompt and tools.
   * @param sampleRate - of the agent's audio on the transport, Hz. Default: that of the voice
   */
  readonly warmCaches = async (
    agent: Agent,
    options: CallOptions,
    sampleRate?: number,
  ): Promise<void> => {
    const { providers, resolveConfig } = this.#parts;
    const config = resolveConfig(agent, options);
    const voice = providers.voiceFor(config);
    const dictionary = await providers.dictionaryFor(agent.accountId, config);
    const settings = ttsSettingsOf(config, voice, sampleRate ?? voice.sampleRate);
    providers.speechCache.preload(config.greeting, { ...settings, dictionary });
    providers.languageModelFor(config).warm?.(config.prompt, settings.language);
    providers.prefetchTools(config, agent.id);
  };

  /**
   * Claims a reserved call for this gateway. Only one gateway can claim a call. The owner of the
   * session must start or cancel it.
   * @param mustBeDeployed - refuses the call if the agent was paused after the reservation
   */
  async claim(
    callId: string,
    { mustBeDeployed = false } = {},
  ): Promise<CallSession | ClaimRefusal> {
    const onSettled = this.#parts.registry.trackOpening();
    if (!onSettled) return 'draining';
    let claimed: CallSession | ClaimRefusal | undefined;
    try {
      claimed = await this.#claim(callId, mustBeDeployed, onSettled);
      return claimed;
    } finally {
      if (!(claimed instanceof CallSession)) onSettled();
    }
  }

  async #claim(
    callId: string,
    mustBeDeployed: boolean,
    onSettled: () => void,
  ): Promise<CallSession | ClaimRefusal> {
    const { calls, agents, gatewayId, providers, resolveConfig } = this.#parts;
    const row = await calls.claim(callId, gatewayId);
    if (row === undefined) return 'not_reserved';
    if (typeof row === 'string') return row;
    try {
      const agent = await agents.find(row.account_id, row.agent_id);
      if (!agent || (mustBeDeployed && agent.status !== 'deployed')) {
        await calls.end(callId, 'error_transport');
        return agent ? 'agent_not_deployed' : 'no_agent';
      }
      const config = resolveConfig(agent, row.options);
      const dictionary = await providers.dictionaryFor(row.account_id, config);
      const voice = providers.voiceFor(config);
      const toolContext = { accountId: row.account_id, agentId: agent.id, callId };
      const tools = await providers.toolsFor(config, toolContext);
      return new CallSession(this.#parts, row, { config, dictionary, voice, tools, onSettled });
    } catch (error) {
      // A call that does not start must not keep its slot.
      await calls.end(callId, 'error_transport');
      throw error;
    }
  }
}
