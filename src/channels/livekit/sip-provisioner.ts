import {
  RoomConfiguration,
  type SIPDispatchRuleInfo,
  type SIPInboundTrunkInfo,
} from '@livekit/protocol';
import { SipClient, TwirpError } from 'livekit-server-sdk';
import type { Logger } from 'pino';
import type { Agent } from '../../features/agents/agent.model.js';
import type { AgentProvisioner, SipProvisioning } from '../../features/agents/agents.ports.js';
import type { NumberOwnership } from '../../features/ownership/number-ownership.js';
import type { NumberProvisioner } from '../../features/phone-numbers/phone-numbers.service.js';
import { ApiError } from '../../platform/http/api-error.js';
import type { LiveKitAccess } from './livekit-credentials.js';
import { isNotFound, REQUEST_S } from './room-client.js';
import { PHONE_ROOM_PREFIX } from './room-names.js';
import { roomConfig } from './room-tokens.js';

/** Marks trunks and rules that were created here. */
const MARK = 'parley';

/** Provisions LiveKit SIP: a trunk for each number and a dispatch rule for each deployed agent. */
export class SipProvisioner implements AgentProvisioner, NumberProvisioner {
  readonly #sip: SipClient;
  readonly #numbers: Pick<NumberOwnership, 'requireUsable'>;
  readonly #log: Logger;

  constructor(
    { apiUrl, apiKey, apiSecret }: LiveKitAccess,
    numbers: Pick<NumberOwnership, 'requireUsable'>,
    log: Logger,
  ) {
    const options = { requestTimeout: REQUEST_S, failover: false };
    this.#sip = new SipClient(apiUrl, apiKey, apiSecret, options);
    this.#numbers = numbers;
    this.#log = log;
  }

  /** Routes the calls of an agent's number to the agent. Idempotent, never throws. */
  async provisionAgent(agent: Agent): Promise<SipProvisioning | undefined> {
    const { phone_number: phoneNumber } = agent.config;
    if (phoneNumber == null) {
      await this.deprovisionAgent(agent);
      return undefined;
    }
    try {
      // A delayed request must not remove the rule of the number's new owner.
      await this.#numbers.requireUsable(agent.accountId, phoneNumber);
      const trunk = await this.#ensureTrunk(phoneNumber);
      const rule = await this.#ensureRule(agent, trunk.sipTrunkId);
      const { sipTrunkId: trunk_id } = trunk;
      const { sipDispatchRuleId: dispatch_rule_id } = rule;
      return {
        sip_status: 'configured',
        sip_details: { phone_number: phoneNumber, trunk_id, dispatch_rule_id, error: null },
      };
    } catch (error) {
      this.#warn(
        error,
        'Cannot route the calls of a deployed agent in LiveKit: deploy the agent again',
        agent,
      );
      return {
        sip_status: 'failed',
        sip_details: {
          phone_number: phoneNumber,
          trunk_id: null,
          dispatch_rule_id: null,
          error: sentenceOf(error),
        },
      };
    }
  }

  /** Stops routing calls to an agent. Idempotent, never throws. A call that still arrives is refused. */
  async deprovisionAgent(agent: Agent): Promise<void> {
    try {
      await this.#removeRules(await this.#rulesOf(agent.id));
    } catch (error) {
      if (hasNoSip(error)) return;
      this.#warn(error, 'Cannot remove the dispatch rule of an agent in LiveKit', agent);
    }
  }

  /** Lets LiveKit SIP accept calls to a number. Never throws; the deployment of the agent repeats it. */
  async provisionNumber(phoneNumber: string): Promise<void> {
    try {
      await this.#ensureTrunk(phoneNumber);
    } catch (error) {
      this.#warn(
        error,
        'Cannot create the trunk of a phone number in LiveKit: deploying its agent tries again',
      );
    }
  }

  /** Never throws. */
  async deprovisionNumber(phoneNumber: string): Promise<void> {
    try {
      const trunk = await this.#findTrunk(phoneNumber);
      if (!trunk || !isOurs(trunk)) return;
      const rules = await this.#sip.listSipDispatchRule({ trunkIds: [trunk.sipTrunkId] });
      await this.#removeRules(rules.filter(({ trunkIds }) => trunkIds.includes(trunk.sipTrunkId)));
      await this.#removeTrunk(trunk.sipTrunkId);
    } catch (error) {
      this.#warn(error, 'Cannot remove the trunk of a released phone number in LiveKit');
    }
  }

  /** An operator's own trunk for the number is used unchanged. */
  async #ensureTrunk(phoneNumber: string): Promise<SIPInboundTrunkInfo> {
    const known = await this.#findTrunk(phoneNumber);
    if (known) return known;
    try {
      const made = await this.#sip.createSipInboundTrunk(`${MARK} ${phoneNumber}`, [phoneNumber], {
        metadata: JSON.stringify({ [MARK]: 'number' }),
      });
      return (await this.#findTrunk(phoneNumber)) ?? made;
    } catch (error) {
      // Another gateway may have created it. LiveKit accepts one trunk per number.
      const other = await this.#findTrunk(phoneNumber);
      if (other) return other;
      throw error;
    }
  }

  /**
   * Trunks without numbers accept any number and are ignored. If two trunks of ours exist because of a
   * race, all gateways keep the same one.
   */
  async #findTrunk(phoneNumber: string): Promise<SIPInboundTrunkInfo | undefined> {
    const trunks = (await this.#sip.listSipInboundTrunk({ numbers: [phoneNumber] }))
      .filter(({ numbers }) => numbers.includes(phoneNumber))
      .sort((left, right) => (left.sipTrunkId < right.sipTrunkId ? -1 : 1));
    const chosen = trunks.find((trunk) => !isOurs(trunk)) ?? trunks[0];
    for (const trunk of trunks) {
      if (trunk !== chosen && isOurs(trunk)) await this.#removeTrunk(trunk.sipTrunkId);
    }
    return chosen;
  }

  async #removeTrunk(trunkId: string): Promise<void> {
    try {
      await this.#sip.deleteSipTrunk(trunkId);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #ensureRule(agent: Agent, trunkId: string): Promise<SIPDispatchRuleInfo> {
    const isRight = (rule: SIPDispatchRuleInfo) =>
      rule.trunkIds.length === 1 && rule.trunkIds[0] === trunkId;
    const own = await this.#rulesOf(agent.id);
    const right = own.find(isRight);
    await this.#removeRules(own.filter((rule) => rule !== right));
    if (right) return right;
    await this.#removeForeignRules(agent.id, trunkId);
    try {
      return await this.#createRule(agent, trunkId);
    } catch (error) {
      const other = (await this.#rulesOf(agent.id)).find(isRight);
      if (other) return other;
      throw error;
    }
  }

  #createRule(agent: Agent, trunkId: string): Promise<SIPDispatchRuleInfo> {
    const job = { account_id: agent.accountId, agent_id: agent.id };
    return this.#sip.createSipDispatchRule(
      { type: 'individual', roomPrefix: PHONE_ROOM_PREFIX },
      {
        name: `${MARK} ${agent.id}`,
        trunkIds: [trunkId],
        metadata: JSON.stringify({ [MARK]: 'agent', agent_id: agent.id }),
        roomConfig: new RoomConfiguration(roomConfigOf(job)),
      },
    );
  }

  /** A number belongs to one deployed agent. Other rules of ours remain from an outage of LiveKit. */
  async #removeForeignRules(agentId: string, trunkId: string): Promise<void> {
    const rules = await this.#sip.listSipDispatchRule({ trunkIds: [trunkId] });
    await this.#removeRules(
      rules.filter(
        (rule) =>
          rule.trunkIds.includes(trunkId) &&
          agentIn(rule) !== undefined &&
          agentIn(rule) !== agentId,
      ),
    );
  }

  /** LiveKit's messages about trunks contain numbers, so they are not logged. */
  #warn(error: unknown, message: string, agent?: Agent): void {
    const why = error instanceof TwirpError ? { why: sentenceOf(error) } : { err: error };
    this.#log.warn({ ...why, ...(agent && { agent: agent.id }) }, message);
  }

  async #rulesOf(agentId: string): Promise<readonly SIPDispatchRuleInfo[]> {
    const rules = await this.#sip.listSipDispatchRule();
    return rules.filter((rule) => agentIn(rule) === agentId);
  }

  async #removeRules(rules: readonly SIPDispatchRuleInfo[]): Promise<void> {
    for (const { sipDispatchRuleId } of rules) {
      try {
        await this.#sip.deleteSipDispatchRule(sipDispatchRuleId);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }
}

function roomConfigOf(job: object) {
  const { agents, ...room } = roomConfig(job);
  return { ...room, agents: agents.map((agent) => ({ ...agent })) };
}

function isOurs({ metadata }: SIPInboundTrunkInfo): boolean {
  return markIn(metadata)?.[MARK] === 'number';
}

/** The agent of a rule of ours; undefined for other rules. */
function agentIn({ metadata }: SIPDispatchRuleInfo): unknown {
  const mark = markIn(metadata);
  return mark?.[MARK] === 'agent' ? mark.agent_id : undefined;
}

function markIn(metadata: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(metadata);
    return typeof json === 'object' && json !== null
      ? (json as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined; // not ours
  }
}

/** Without SIP there are no rules and no trunks. */
function hasNoSip(error: unknown): boolean {
  return error instanceof TwirpError && /redis|not connected/i.test(error.message);
}

/** The error for an account, without details of other trunks and rules. */
function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (!(error instanceof TwirpError)) return 'LiveKit is unreachable: deploy the agent again';
  const { code = 'unknown', status } = error;
  if (hasNoSip(error)) return 'LiveKit has no SIP service: configure Redis for LiveKit';
  // Source: livekit/protocol, sip/sip.go: both are invalid arguments that differ only in their messages.
  if (/conflict|same trunk/i.test(error.message)) {
    return 'LiveKit has another dispatch rule or trunk for this number';
  }
  return `LiveKit rejected the dispatch rule or the trunk: ${code} (${status})`;
}
