import { SignJWT } from 'jose';
import type { LiveKitAccess } from './livekit-credentials.js';
import { callerIdentityOf, roomOf } from './room-names.js';

/** The name under which gateways register; LiveKit gives them no other jobs. */
export const AGENT_NAME = 'parley';

/** Who joins has this long, as with the call socket. */
const JOIN_S = 10 * 60;
const WORKER_S = 10 * 60;
/** A room that nobody has joined is closed then, s. */
const EMPTY_S = 60;
/**
 * A room that its caller has left is closed then, s. Agents do not count as present: the caller has 15 s
 * to come back.
 */
const DEPARTURE_S = 20;

/** What a room of ours is made with, in the JSON of LiveKit's RoomConfiguration. */
export interface RoomConfig {
  readonly emptyTimeout: number;
  readonly departureTimeout: number;
  readonly agents: readonly { readonly agentName: string; readonly metadata: string }[];
}

/** Makes the tokens by which clients and this gateway come into LiveKit. */
export class RoomTokens {
  readonly #apiKey: string;
  readonly #secret: Uint8Array;

  constructor({ apiKey, apiSecret }: LiveKitAccess) {
    this.#apiKey = apiKey;
    this.#secret = new TextEncoder().encode(apiSecret);
  }

  /** Lets one client into its call's room, and our agent with it. */
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

  /** By which LiveKit knows a worker. */
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
 * Has our agent come into a room, with what its job is to know. Written by hand: LiveKit's own library
 * writes every field that it knows, and an older server refuses a token with one that it does not.
 */
export function roomConfig(metadata: object): RoomConfig {
  return {
    emptyTimeout: EMPTY_S,
    departureTimeout: DEPARTURE_S,
    agents: [{ agentName: AGENT_NAME, metadata: JSON.stringify(metadata) }],
  };
}
