import { type Agent, STATUS_CODES } from '../../features/agents/agent.model.js';
import type { AgentsRepository } from '../../features/agents/agents.repository.js';
import { loadAgent } from '../../features/agents/load-agent.js';
import type { VoiceOverrides } from '../../features/voices/voice-overrides.js';
import { ApiError } from '../../platform/http/api-error.js';
import {
  admissionRefusalError,
  admissionRefusalText,
  type CallSlots,
} from '../admission/call-slots.js';
import type { CallOptions } from '../store/call.model.js';
import type { CallsRepository } from '../store/calls.repository.js';
import type { CallTokens } from './call-tokens.js';
import type { ConnectionDetails } from './connection.schema.js';

export interface ConnectionServiceParts {
  readonly agents: AgentsRepository;
  readonly calls: CallsRepository;
  readonly tokens: CallTokens;
  readonly slots: CallSlots;
  readonly overrides: VoiceOverrides;
  /** `ws(s)://host:port`; undefined where no absolute URL is known. */
  readonly socketOrigin: () => string | undefined;
  /** Undefined while LiveKit is not configured. */
  readonly rooms?: LiveKitRooms | undefined;
}

type CallTransport = 'livekit' | 'websocket';

/** How a client connects. */
export interface ConnectionOptions {
  /** Also admits calls of a paused agent. */
  readonly isTest: boolean;
  /** Default: LiveKit if it is configured. */
  readonly transport?: CallTransport | undefined;
}

/** A call whose client has been given connection details. */
export interface IssuedConnection {
  readonly callId: string;
  readonly transport: CallTransport;
}

/** The transport of a client. */
interface ConnectionMethod {
  /** Sample rate of the agent's audio, Hz. Default: that of its voice. */
  readonly sampleRate?: number;
  readonly details: (
    callId: string,
  ) => Promise<Pick<ConnectionDetails, 'server_url' | 'participant_token'>>;
}

/** Admits clients to rooms of LiveKit. */
export interface LiveKitRooms {
  /** `ws(s)://host[:port]` of LiveKit. */
  readonly url: string;
  /** Sample rate of the agent's audio in rooms, Hz. */
  readonly sampleRate: number;
  /** This gateway is registered with LiveKit. */
  readonly isUp: boolean;
  /** Issues the token with which the client joins its room. */
  token(callId: string): Promise<string>;
}

/** The gateway reconnects to LiveKit within seconds. */
const RETRY_AFTER_S = 5;

/** Path of a call's socket. The token is not part of it, because proxies log paths. */
export const CALL_SOCKET_PATH = '/api/v1/calls/{call_id}/socket';

/** The part of connection details from which `recreate` issues new tokens. */
export function issuedConnectionOf({
  call_id: callId,
  server_url: url,
}: ConnectionDetails): IssuedConnection {
  const isSocket = url.endsWith(CALL_SOCKET_PATH.replace('{call_id}', callId));
  return { callId, transport: isSocket ? 'websocket' : 'livekit' };
}

/** Issues connection details: checks the agent, reserves a slot and signs tokens. */
export class ConnectionService {
  readonly #parts: ConnectionServiceParts;

  constructor(parts: ConnectionServiceParts) {
    this.#parts = parts;
  }

  /**
   * @throws ApiError AGENT_NOT_FOUND, CALL_VALIDATION_FAILED with a reason, OVERLOADED,
   *   PUBLIC_URL_REQUIRED, PROVIDER_ERROR, NOT_CONFIGURED, and those of `VoiceOverrides.check`
   */
  async create(
    accountId: string,
    agentId: string,
    options: CallOptions,
    { isTest, transport }: ConnectionOptions,
  ): Promise<ConnectionDetails> {
    const { slots, rooms } = this.#parts;
    const agent = await this.#loadAgent(accountId, agentId);
    const refusal = slots.gatewayRefusalOf(agent, { isTest });
    if (refusal === 'agent_not_deployed') throw admissionRefusalError(refusal);
    await this.#parts.overrides.check(agent, options.agent_overrides);
    const method = this.#methodFor(transport ?? (rooms ? 'livekit' : 'websocket'));
    const { sampleRate } = method;
    const reserved = await slots.reserve({
      agent,
      callType: 'web',
      options,
      isTest,
      ...(sampleRate && { sampleRate }),
    });
    if (reserved.type === 'refused') throw admissionRefusalError(reserved.why);
    return this.#detailsOf(reserved.callId, method);
  }

  /**
   * Issues connection details of a reserved call again, with new tokens.
   * @throws ApiError PUBLIC_URL_REQUIRED, PROVIDER_ERROR
   */
  recreate({ callId, transport }: IssuedConnection): Promise<ConnectionDetails> {
    return this.#detailsOf(callId, this.#methodFor(transport));
  }

  async #detailsOf(callId: string, method: ConnectionMethod): Promise<ConnectionDetails> {
    return {
      ...(await method.details(callId)),
      call_id: callId,
      end_token: await this.#parts.tokens.issue(callId, 'end'),
    };
  }

  #methodFor(transport: CallTransport): ConnectionMethod {
    return transport === 'livekit' ? this.#overLiveKit() : this.#overWebSocket();
  }

  #overWebSocket(): ConnectionMethod {
    const origin = this.#parts.socketOrigin();
    if (origin === undefined) {
      throw new ApiError(
        'PUBLIC_URL_REQUIRED',
        'This gateway does not know its own address: set PUBLIC_URL',
      );
    }
    return {
      details: async (callId) => ({
        server_url: origin + CALL_SOCKET_PATH.replace('{call_id}', callId),
        participant_token: await this.#parts.tokens.issue(callId, 'join'),
      }),
    };
  }

  #overLiveKit(): ConnectionMethod {
    const { rooms } = this.#parts;
    if (!rooms) throw noLiveKit();
    if (!rooms.isUp) {
      throw new ApiError('PROVIDER_ERROR', 'LiveKit is unreachable: try again in 5 s', {
        detail: 'The transport "websocket" works without LiveKit',
        retryAfterS: RETRY_AFTER_S,
      });
    }
    return {
      sampleRate: rooms.sampleRate,
      details: async (callId) => ({
        server_url: rooms.url,
        participant_token: await rooms.token(callId),
      }),
    };
  }

  /** Whether an agent can be called. */
  async statusOf(accountId: string, agentId: string) {
    const agent = await this.#loadAgent(accountId, agentId);
    const refusal =
      agent.status === 'deployed'
        ? await this.#parts.calls.accountRefusalOf(accountId)
        : 'agent_not_deployed';
    return {
      agent_id: agent.id,
      name: agent.name,
      voice_id: agent.config.tts_params?.voice_id || null,
      status: agent.status,
      status_code: STATUS_CODES[agent.status],
      call_allowed: refusal === undefined,
      call_validation_details: refusal === undefined ? null : admissionRefusalText(refusal),
    };
  }

  async #loadAgent(accountId: string, agentId: string): Promise<Agent> {
    return loadAgent(this.#parts.agents, accountId, agentId);
  }
}

function noLiveKit(): ApiError {
  const settings = 'LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET';
  return new ApiError(
    'NOT_CONFIGURED',
    `LiveKit is not configured: set ${settings}, or request the transport "websocket"`,
  );
}
