import { randomUUID } from 'node:crypto';
import type { EgressResponse } from '../../platform/egress/egress-client.js';
import { EgressError } from '../../platform/egress/egress-error.js';
import { ApiError } from '../../platform/http/api-error.js';
import type { Agent } from '../agents/agent.model.js';
import type { AgentsRepository } from '../agents/agents.repository.js';
import type { CallOverrides } from '../agents/config/call-overrides.schema.js';
import { placeholdersOf } from '../agents/config/placeholders.js';
import { defaultsOf } from '../agents/config/settings-table.js';
import type { StoredConfig } from '../agents/config/stored-config.js';
import { VOICE_SETTINGS } from '../agents/config/voice-settings.js';
import { loadAgent } from '../agents/load-agent.js';
import type { VoiceOverrides } from '../voices/voice-overrides.js';
import { deliveryOutcomeOf } from './delivery-outcome.js';
import { jsonOf, readReply } from './inbound-call-reply.js';
import { inboundCallRequest, MAX_REPLY_BYTES } from './inbound-call-webhook.js';
import { eventBody } from './webhook-events.js';
import { makeMessageId, type WebhookSender, type WebhookTarget } from './webhook-sender.js';
import type { WebhookTestResult } from './webhooks.schema.js';

/** Numbers reserved for fiction. Source: NANPA, 555-0100 to 555-0199. */
const CALLER = '+12025550100';
const CALLED = '+12025550101';
const MAX_EVENT_ANSWER_BYTES = 65_536;

export interface WebhookTestServiceParts {
  readonly agents: AgentsRepository;
  readonly sender: WebhookSender;
  readonly overrides: VoiceOverrides;
}

/** Tests an agent's webhooks for its owner, with strict validation. */
export class WebhookTestService {
  readonly #parts: WebhookTestServiceParts;

  constructor(parts: WebhookTestServiceParts) {
    this.#parts = parts;
  }

  /**
   * Sends `test` to one event entry, even if it is disabled or has other events.
   * @throws ApiError AGENT_NOT_FOUND, WEBHOOK_NOT_FOUND
   */
  async testEvent(accountId: string, agentId: string, url: string): Promise<WebhookTestResult> {
    const agent = await this.#find(accountId, agentId);
    const entry = agent.config.webhooks?.events?.find((each) => each.url === url);
    if (!entry) throw notFound('The agent has no event webhook with this url');
    const data = { call_type: 'web', message: 'This is a test' };
    const body = eventBody({ event: 'test', agentId: agent.id, callId: null, data });
    const result = new TestResult(url, body);
    const answer = await this.#send(agent, entry, body, MAX_EVENT_ANSWER_BYTES);
    if (typeof answer === 'string') return result.failed(answer);
    result.answered(answer);
    const verdict = deliveryOutcomeOf(answer, Date.now());
    if (verdict.type !== 'delivered') return result.failed(verdict.reason);
    return result.succeeded('The webhook accepted the event', {});
  }

  /** Sends a fictitious call to the inbound_call webhook. @throws ApiError as `testEvent` */
  async testInboundCall(accountId: string, agentId: string): Promise<WebhookTestResult> {
    const agent = await this.#find(accountId, agentId);
    const target = agent.config.webhooks?.inbound_call;
    if (!target) throw notFound('The agent has no inbound_call webhook');
    const call = { callId: randomUUID(), fromNumber: CALLER, toNumber: CALLED };
    const body = JSON.stringify(inboundCallRequest(agent.id, call));
    const result = new TestResult(target.url, body);
    const answer = await this.#send(agent, target, body, MAX_REPLY_BYTES);
    if (typeof answer === 'string') return result.failed(answer);
    result.answered(answer);
    const reply = await readReply(answer, agent, this.#parts.overrides);
    if (reply.type === 'invalid') return result.failed(reply.error);
    const unknownNames = unknownVariables(agent.config, reply.options);
    if (unknownNames.length > 0) {
      const names = unknownNames.map((name) => JSON.stringify(name)).join(', ');
      return result.failed(
        `dynamic_variables: neither prompt nor greeting has a placeholder for ${names}`,
      );
    }
    return result.succeeded(
      'The response of the webhook is valid',
      resolveOptions(agent.config, reply.options),
    );
  }

  async #find(accountId: string, agentId: string): Promise<Agent> {
    return loadAgent(this.#parts.agents, accountId, agentId);
  }

  /** The response, or an error message. */
  async #send(
    agent: Agent,
    target: WebhookTarget,
    body: string,
    maxBytes: number,
  ): Promise<EgressResponse | string> {
    const message = { agentId: agent.id, target, id: makeMessageId(), body };
    try {
      return await this.#parts.sender.send(message, { maxBytes });
    } catch (error) {
      if (error instanceof EgressError) return error.message;
      throw error;
    }
  }
}

/** Collects the result of a test. */
class TestResult {
  readonly #url: string;
  readonly #request: Readonly<Record<string, unknown>>;
  #answer: Readonly<Record<string, unknown>> = {};

  constructor(url: string, body: string) {
    this.#url = url;
    this.#request = JSON.parse(body) as Record<string, unknown>;
  }

  answered(answer: EgressResponse): void {
    this.#answer = jsonOf(answer) ?? {};
  }

  failed(error: string): WebhookTestResult {
    return { ...this.#common('failed', 'The test failed', {}), error };
  }

  succeeded(message: string, validated: Readonly<Record<string, unknown>>): WebhookTestResult {
    return this.#common('success', message, validated);
  }

  #common(
    status: WebhookTestResult['status'],
    message: string,
    validated: Readonly<Record<string, unknown>>,
  ): WebhookTestResult {
    return {
      status,
      message,
      webhook_url: this.#url,
      request_payload: this.#request,
      raw_response: this.#answer,
      validated_response: validated,
    };
  }
}

function notFound(sentence: string): ApiError {
  return new ApiError('WEBHOOK_NOT_FOUND', sentence);
}

function unknownVariables(
  config: StoredConfig,
  { dynamic_variables = {} }: CallOverrides,
): string[] {
  const known = placeholdersOf(`${config.prompt ?? ''}\n${config.greeting ?? ''}`);
  return Object.keys(dynamic_variables).filter((name) => !known.has(name));
}

/** The effective options of a call: overrides before stored settings. */
function resolveOptions(
  config: StoredConfig,
  options: CallOverrides,
): Readonly<Record<string, unknown>> {
  const { dynamic_variables = {}, agent_overrides } = options;
  const overridden = agent_overrides?.tts_params;
  return {
    dynamic_variables,
    agent_overrides: overridden
      ? { tts_params: { ...defaultsOf(VOICE_SETTINGS), ...config.tts_params, ...overridden } }
      : {},
  };
}
