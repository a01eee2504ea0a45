import { SignJWT } from 'jose';
import type { LiveKitAccess } from './livekit-credentials.js';
import { callerIdentityOf, roomOf } from './room-names.js';

/** The name with which gateways register. LiveKit assigns them only jobs for this name. */
export const AGENT_NAME = 'parley';

/** Lifetime of a client's token, as for the call socket. */
const JOIN_S = 10 * 60;
const WORKER_S = 10 * 60;
/** A room without participants is closed after this time, s. */
const EMPTY_S = 60;
/**
 * A room that its caller has left is closed after this time, s. Agents do not count as participants. The
 * caller has 15 s to reconnect.
 */
const DEPARTURE_S = 20;

/** LiveKit's RoomConfiguration as JSON. */
export interface RoomConfig {
  readonly emptyTimeout: number;
  readonly departureTimeout: number;
  readonly agents: readonly { readonly agentName: string; readonly metadata: string }[];
}

/** Signs LiveKit tokens for clients and for this gateway. */
export class RoomTokens {
  readonly #apiKey: string;
  readonly #secret: Uint8Array;

  constructor({ apiKey, apiSecret }: LiveKitAccess) {
    this.#apiKey = apiKey;
    this.#secret = new TextEncoder().encode(apiSecret);
  }

  /** A token with which a client joins its room; it also dispatches the agent. */
  join(callId: string): Promise<string> {
    const video = {
      room: roomOf(callId),
      roomJoin: true,
      canPublish: true,
      canSubscribe: true,
      canPublishData: true,
      canUpdateOwnMetadata: true,
    };
    const claims = { video, roomConfig: roomConfig({ call_id: callId }) };
    return this.#sign(claims, JOIN_S, callerIdentityOf(callId));
  }

  /** A token with which this gateway registers as a worker. */
  worker(): Promise<string> {
    return this.#sign({ video: { agent: true } }, WORKER_S);
  }

  #sign(claims: Record<string, unknown>, ttlS: number, identity?: string): Promise<string> {
    const token = new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(this.#apiKey)
      .setNotBefore(new Date())
      .setExpirationTime(`${ttlS}s`);
    if (identity !== undefined) token.setSubject(identity);
    return token.sign(this.#secret);
  }
}

/**
 * The configuration of a room that dispatches our agent. Not built with LiveKit's library, which writes
 * every field that it knows: an older server rejects a token with unknown fields.
 * @param metadata - of the agent's job
 */
export function roomConfig(metadata: object): RoomConfig {
  return {
    emptyTimeout: EMPTY_S,
    departureTimeout: DEPARTURE_S,
    agents: [{ agentName: AGENT_NAME, metadata: JSON.stringify(metadata) }],
  };
}
