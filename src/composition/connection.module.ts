import type { CallSlots } from '../calls/admission/call-slots.js';
import { CallTokens } from '../calls/connection/call-tokens.js';
import { connectionRoutes } from '../calls/connection/connection.routes.js';
import { ConnectionService, type LiveKitRooms } from '../calls/connection/connection.service.js';
import type { CallRegistry } from '../calls/session/call-registry.js';
import type { CallSessionFactory } from '../calls/session/call-session.factory.js';
import type { CallsRepository } from '../calls/store/calls.repository.js';
import { CallSockets } from '../channels/websocket/call-socket.route.js';
import type { AgentsRepository } from '../features/agents/agents.repository.js';
import type { VoiceOverrides } from '../features/voices/voice-overrides.js';
import type { SecretKeys } from '../platform/secrets/secret-keys.js';

export interface ConnectionParts {
  readonly gatewayId: string;
  readonly secrets: SecretKeys;
  readonly agents: AgentsRepository;
  readonly calls: CallsRepository;
  readonly slots: CallSlots;
  readonly registry: CallRegistry;
  readonly sessions: CallSessionFactory;
  readonly overrides: VoiceOverrides;
  /** Undefined where LiveKit is not configured. */
  readonly rooms: LiveKitRooms | undefined;
  /** `ws(s)://host[:port]`; undefined where no absolute URL is known. */
  readonly socketOrigin: () => string | undefined;
}

/** Connection details for clients, and the WebSocket that carries their calls. */
export function createConnectionModule(parts: ConnectionParts) {
  const tokens = new CallTokens(parts.secrets);
  const connections = new ConnectionService({ ...parts, tokens });
  return {
    /** Tokens of single calls. */
    tokens,
    routes: connectionRoutes(connections),
    socket: new CallSockets({ ...parts, tokens }).route,
  };
}
