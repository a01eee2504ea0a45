import { randomUUID } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { SecretKeys } from '../../platform/secrets/secret-keys.js';

/** Who joins has this long; a slot is held for a shorter time. */
const JOIN_MINUTES = 10;
/** A page may end its call at any time of a long one. */
const END_HOURS = 24;
const ALGORITHM = 'HS256';

export type CallTokenUse = 'join' | 'end';

/** Makes and checks the tokens of single calls: JWTs that say which call and what for. */
export class CallTokens {
  readonly #keys: readonly Uint8Array[];

  constructor(secrets: SecretKeys) {
    this.#keys = secrets.derive('call-tokens').map(({ bytes }) => bytes);
  }

  issue(callId: string, use: CallTokenUse): Promise<string> {
    return new SignJWT({ use })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .setSubject(callId)
      .setJti(randomUUID())
      .setIssuedAt()
      .setExpirationTime(use === 'join' ? `${JOIN_MINUTES}m` : `${END_HOURS}h`)
      .sign(this.#keys[0]!);
  }

  /** The call that a token is for; undefined when it is wrong, expired or for another use. */
  async verify(token: string, use: CallTokenUse): Promise<string | undefined> {
    for (const key of this.#keys) {
      try {
        const { payload } = await jwtVerify(token, key, { algorithms: [ALGORITHM] });
        return payload.use === use ? payload.sub : undefined;
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw error;
      }
    }
    return undefined;
  }
}
