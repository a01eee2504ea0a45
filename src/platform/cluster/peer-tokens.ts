import { errors, jwtVerify, SignJWT } from 'jose';
import type { SecretKeys } from '../secrets/secret-keys.js';

const ALGORITHM = 'HS256';
/** Clocks of two machines may differ by some of it. */
const LIVES = '60s';

/** What one gateway asks of another, on behalf of a client that it has let in. */
export interface PeerRequest {
  readonly what: 'events' | 'audio';
  readonly accountId: string;
  /** Left out: all of the account's. */
  readonly callId?: string | undefined;
}

/** Proves to a gateway that another one with the same SECRET_KEY asks, and what for. */
export class PeerTokens {
  readonly #keys: readonly Uint8Array[];

  constructor(secrets: SecretKeys) {
    this.#keys = secrets.derive('gateway-links').map(({ bytes }) => bytes);
  }

  /** @param gatewayId the only one that takes it. */
  issue(gatewayId: string, { what, accountId, callId }: PeerRequest): Promise<string> {
    return new SignJWT({ what, ...(callId !== undefined && { call: callId }) })
      .setProtectedHeader({ alg: ALGORITHM })
      .setSubject(accountId)
      .setAudience(gatewayId)
      .setExpirationTime(LIVES)
      .sign(this.#keys[0]!);
  }

  /** Undefined when it was not made with our secret, for another gateway, or too long ago. */
  async verify(token: string, gatewayId: string): Promise<PeerRequest | undefined> {
    for (const key of this.#keys) {
      try {
        const checks = { algorithms: [ALGORITHM], audience: gatewayId, clockTolerance: LIVES };
        const { payload } = await jwtVerify(token, key, checks);
        const { sub, what, call } = payload;
        if (sub === undefined || (what !== 'events' && what !== 'audio')) return undefined;
        return { what, accountId: sub, ...(typeof call === 'string' && { callId: call }) };
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw error;
      }
    }
    return undefined;
  }
}
