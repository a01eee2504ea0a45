import type { Logger } from 'pino';
import type { AllowedHosts } from '../../platform/egress/allowed-hosts.js';
import { ApiError } from '../../platform/http/api-error.js';
import { requireMatch } from '../../platform/http/entity-tag.js';
import { InvalidInput } from '../../platform/http/validation/invalid-input.js';
import { pageOf } from '../../platform/http/validation/pagination.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import type { NumberOwnership } from '../ownership/number-ownership.js';
import { throwNotFound } from '../ownership/throw-not-found.js';
import type { Agent, AgentChange, AgentStatus } from './agent.model.js';
import { makeAgentId } from './agent.model.js';
import type {
  AgentProvisioner,
  KnowledgeBaseDirectory,
  LanguageAvailability,
  SipProvisioning,
} from './agents.ports.js';
import { entityTagOf } from './agents.presenter.js';
import type { AgentsRepository } from './agents.repository.js';
import type { CreateAgent, ListAgents, UpdateAgent } from './agents.schema.js';
import type { AgentConfigInput } from './config/agent-config.schema.js';
import { configErrorsOf } from './config/config-rules.js';
import { ineffectiveSettingsOf } from './config/ineffective-settings.js';
import { mergeConfig, type StoredConfig, sealConfig } from './config/stored-config.js';
import { VOICE_SETTINGS } from './config/voice-settings.js';
import { loadAgent } from './load-agent.js';

export interface AgentServiceParts {
  readonly repository: AgentsRepository;
  readonly box: SecretBox;
  readonly allowedHosts: AllowedHosts;
  readonly languages: LanguageAvailability;
  readonly knowledgeBases: KnowledgeBaseDirectory;
  readonly log: Pick<Logger, 'info'>;
  readonly numbers: Pick<NumberOwnership, 'requireStorable' | 'requireUsable'>;
  /** Provisions the numbers of agents in LiveKit's SIP service; undefined without LiveKit. */
  readonly provisioner?: AgentProvisioner | undefined;
}

const DEFAULT_STATUSES: readonly AgentStatus[] = ['deployed', 'paused'];
/** Agents in a list without pages. */
const MAX_PLAIN_LIST = 1_000;

/** The agent to change, and the ETag that it must have. */
export interface AgentRef {
  readonly accountId: string;
  readonly id: string;
  readonly ifMatch?: string | undefined;
}

/** A deployed agent, and the SIP state of its number: undefined without LiveKit or without a number. */
export interface Deployment {
  readonly agent: Agent;
  readonly sip: SipProvisioning | undefined;
}

/**
 * Creates agents (paused), changes, deploys, pauses and disables them. Every method takes an account;
 * the agents of other accounts are AGENT_NOT_FOUND.
 */
export class AgentService {
  readonly #parts: AgentServiceParts;

  constructor(parts: AgentServiceParts) {
    this.#parts = parts;
  }

  /**
   * @throws InvalidInput if the settings contradict each other
   * @throws ApiError PHONE_NUMBER_IN_USE, KNOWLEDGE_BASE_NOT_FOUND
   */
  async create(accountId: string, body: CreateAgent): Promise<Agent> {
    const id = makeAgentId();
    const config = this.#merge(id, {}, body.config);
    await this.#requireKnowledgeBase(accountId, body.kb_id);
    await this.#requireStorable(accountId, body.config);
    const { name, kb_id: kbId = null } = body;
    const agent = { id, accountId, name, config, kbId, status: 'paused' } as const;
    const made = await this.#parts.repository.insert(agent);
    this.#logIneffective(made);
    return made;
  }

  async load(accountId: string, id: string): Promise<Agent> {
    return loadAgent(this.#parts.repository, accountId, id);
  }

  /** The newest agents, at most MAX_PLAIN_LIST. */
  async listNewest(accountId: string, statuses = DEFAULT_STATUSES): Promise<Agent[]> {
    return this.#parts.repository.list(accountId, statuses, { offset: 0, limit: MAX_PLAIN_LIST });
  }

  /** One page of agents, the newest first. */
  async listPage(accountId: string, query: ListAgents) {
    const { repository } = this.#parts;
    const { show_statuses: statuses = DEFAULT_STATUSES } = query;
    const counts = await repository.countByStatus(accountId);
    const total = [...new Set(statuses)].reduce((sum, status) => sum + counts[status], 0);
    const page = pageOf(query, total);
    const items = page.hasItems ? await repository.list(accountId, statuses, page) : [];
    return { items, pagination: page.pagination };
  }

  async countByStatus(accountId: string): Promise<Readonly<Record<AgentStatus, number>>> {
    return this.#parts.repository.countByStatus(accountId);
  }

  /** A partial update. It applies to calls that start later. */
  async update(ref: AgentRef, body: UpdateAgent): Promise<Agent> {
    const { accountId, id } = ref;
    await this.load(accountId, id);
    await this.#requireKnowledgeBase(accountId, body.kb_id);
    await this.#requireStorable(accountId, body.config);
    const changed = await this.#change(ref, (agent) => {
      requireEnabled(agent);
      return {
        ...(body.name !== undefined && { name: body.name }),
        ...(body.kb_id !== undefined && { kbId: body.kb_id }),
        ...(body.config !== undefined && { config: this.#merge(id, agent.config, body.config) }),
      };
    });
    if (body.config !== undefined) this.#logIneffective(changed);
    const isNumberGiven = body.config?.phone_number !== undefined;
    if (isNumberGiven && changed.status === 'deployed') {
      await this.#parts.provisioner?.provisionAgent(changed);
    }
    return changed;
  }

  /**
   * Idempotent.
   * @throws ApiError LANGUAGE_NOT_AVAILABLE, PHONE_NUMBER_IN_USE, PHONE_NUMBER_NOT_OWNED,
   *   AGENT_DISABLED
   */
  async deploy(ref: AgentRef): Promise<Deployment> {
    const agent = await this.load(ref.accountId, ref.id);
    requireEnabled(agent);
    const voice = agent.config.tts_params;
    const language = voice?.language ?? VOICE_SETTINGS.language.default;
    const voiceId = voice?.voice_id || null;
    const problem = await this.#parts.languages.problemWith({
      accountId: ref.accountId,
      language,
      voiceId,
    });
    if (problem !== undefined) throw new ApiError('LANGUAGE_NOT_AVAILABLE', problem);
    // A deployed agent is also checked, because its account may have lost the number.
    const number = agent.config.phone_number;
    if (number) await this.#parts.numbers.requireUsable(ref.accountId, number);
    const deployed = await this.#setStatus(ref, 'deployed');
    return { agent: deployed, sip: await this.#parts.provisioner?.provisionAgent(deployed) };
  }

  /** Idempotent; frees the agent's number. @throws ApiError AGENT_DISABLED */
  async pause(ref: AgentRef): Promise<Agent> {
    const paused = await this.#setStatus(ref, 'paused');
    await this.#parts.provisioner?.deprovisionAgent(paused);
    return paused;
  }

  /** Final. @throws ApiError AGENT_NOT_PAUSED unless the agent is paused */
  async disable(ref: AgentRef): Promise<Agent> {
    return this.#change(ref, ({ status }) => {
      if (status === 'paused') return { status: 'disabled' };
      const sentence =
        status === 'deployed'
          ? 'The agent is deployed: pause it before you disable it'
          : 'The agent is disabled already';
      throw new ApiError('AGENT_NOT_PAUSED', sentence);
    });
  }

  /** Assigns a knowledge base; null removes it. */
  async assignKnowledgeBase(ref: AgentRef, kbId: number | null): Promise<Agent> {
    return this.update(ref, { kb_id: kbId });
  }

  #setStatus(ref: AgentRef, status: AgentStatus): Promise<Agent> {
    return this.#change(ref, (agent) => {
      requireEnabled(agent);
      return agent.status === status ? {} : { status };
    });
  }

  async #change(ref: AgentRef, decide: (agent: Agent) => AgentChange): Promise<Agent> {
    const { accountId, id, ifMatch } = ref;
    const changed = await this.#parts.repository.change(accountId, id, (agent) => {
      requireMatch(ifMatch, entityTagOf(agent));
      return decide(agent);
    });
    return changed ?? throwNotFound('agent', id);
  }

  #merge(id: string, stored: StoredConfig, input: AgentConfigInput): StoredConfig {
    const sealed = sealConfig(input, (text) => this.#parts.box.seal(text, id));
    const merged = mergeConfig(stored, sealed);
    const errors = configErrorsOf(input, merged, this.#parts.allowedHosts);
    if (errors.length > 0) throw new InvalidInput(errors);
    return merged;
  }

  #logIneffective({ id, config }: Agent): void {
    const settings = ineffectiveSettingsOf(config);
    if (settings.length === 0) return;
    this.#parts.log.info({ agent: id, settings }, 'Some settings of an agent have no effect');
  }

  async #requireStorable(accountId: string, config: AgentConfigInput | undefined): Promise<void> {
    const number = config?.phone_number;
    if (number) await this.#parts.numbers.requireStorable(accountId, number);
  }

  async #requireKnowledgeBase(accountId: string, kbId: number | null | undefined): Promise<void> {
    if (kbId == null || (await this.#parts.knowledgeBases.exists(accountId, kbId))) return;
    throw new ApiError('KNOWLEDGE_BASE_NOT_FOUND', `No knowledge base has the id ${kbId}`);
  }
}

function requireEnabled(agent: Agent): void {
  if (agent.status !== 'disabled') return;
  throw new ApiError('AGENT_DISABLED', 'The agent is disabled, which is final: create a new one');
}
