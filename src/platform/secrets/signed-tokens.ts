import { createHmac } from 'node:crypto';
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose';
import type { SecretKeys, SecretPurpose } from './secret-keys.js';
import { isSameHash } from './timing-safe-equal.js';

/** Algorithm of the JWTs that this service signs. */
export const JWT_ALGORITHM = 'HS256';

/**
 * Signs and verifies tokens for one purpose: JWTs, and short signatures for URLs. During a rotation of
 * secrets the newest key signs and all keys verify.
 */
export class SignedTokens {
  /** The current key first. */
  readonly #keys: readonly [Uint8Array, ...Uint8Array[]];

  constructor(secrets: SecretKeys, purpose: SecretPurpose) {
    const [current, ...older] = secrets.derive(purpose);
    this.#keys = [current.bytes, ...older.map(({ bytes }) => bytes)];
  }

  /** @param expires - a moment, or a time from now such as `10m` */
  signJwt(claims: JWTPayload, expires: Date | string): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: JWT_ALGORITHM, typ: 'JWT' })
      .setIssuedAt()
      .setExpirationTime(expires)
      .sign(this.#keys[0]);
  }

  /** The claims of a JWT; undefined if it is malformed, expired, or signed with another key. */
  async verifyJwt(
    token: string,
    options: Pick<JWTVerifyOptions, 'audience' | 'clockTolerance'> = {},
  ): Promise<JWTPayload | undefined> {
    for (const key of this.#keys) {
      try {
        return (await jwtVerify(token, key, { ...options, algorithms: [JWT_ALGORITHM] })).payload;
      } catch (error) {
        if (error instanceof errors.JWSSignatureVerificationFailed) continue;
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    }
    return undefined;
  }

  /** Signs a text with HMAC-SHA-256. The signature is base64url. */
  signText(text: string): string {
    return hmac(this.#keys[0], text).toString('base64url');
  }

  isTextSigned(text: string, signature: string): boolean {
    const given = Buffer.from(signature, 'base64url');
    return this.#keys.some((key) => isSameHash(given, hmac(key, text)));
  }
}

function hmac(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
