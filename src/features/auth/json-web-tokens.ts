import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
  SignJWT,
} from 'jose';
import { ApiError } from '../../platform/http/api-error.js';
import { isScope, type Scope } from '../../platform/http/scopes.js';
import type { SecretKeys } from '../../platform/secrets/secret-keys.js';

const OWN_ALGORITHM = 'HS256';
const OUTSIDE_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
/** Longer ones are no tokens of ours; checked before anything is decoded. */
const MAX_TOKEN_LENGTH = 8_192;
const CLOCK_SKEW_SECONDS = 5;
/** When a key set that could not be had may be asked for again. */
const RETRY_AFTER_S = 10;

/** Where tokens of another issuer get their keys, and what those tokens must say. */
export interface OutsideIssuer {
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
}

/** What a token that was signed and has not expired claims. */
export interface TokenClaims {
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date;
}

/** Makes and checks JWTs that act for an account: `sub` (its id), `scope` (by spaces) and `exp`. */
export class JsonWebTokens {
  readonly #keys: readonly [Uint8Array, ...Uint8Array[]];
  readonly #outside: { readonly keys: JWTVerifyGetKey; readonly issuer: OutsideIssuer } | undefined;

  constructor(secrets: SecretKeys, outside?: OutsideIssuer) {
    const [current, ...older] = secrets.derive('json-web-tokens');
    this.#keys = [current.bytes, ...older.map((key) => key.bytes)];
    this.#outside = outside && {
      keys: createRemoteJWKSet(new URL(outside.jwksUrl)),
      issuer: outside,
    };
  }

  /** Whether a bearer text has the form of a JWT, as opposed to that of an API key. */
  static hasForm(text: string): boolean {
    return text.length <= MAX_TOKEN_LENGTH && text.split('.').length === 3;
  }

  issue(accountId: string, scopes: readonly Scope[], expiresAt: Date): Promise<string> {
    return new SignJWT({ scope: scopes.join(' ') })
      .setProtectedHeader({ alg: OWN_ALGORITHM, typ: 'JWT' })
      .setSubject(accountId)
      .setIssuedAt()
      .setExpirationTime(expiresAt)
      .sign(this.#keys[0]);
  }

  /**
   * The claims of a token, or undefined when it is not to be believed.
   * @throws ApiError OVERLOADED while the other issuer's keys cannot be had
   */
  async verify(token: string): Promise<TokenClaims | undefined> {
    const alg = algorithmOf(token);
    try {
      const payload =
        alg === OWN_ALGORITHM ? await this.#verifyOwn(token) : await this.#verifyOutside(token);
      return payload && toClaims(payload);
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  async #verifyOwn(token: string): Promise<JWTPayload | undefined> {
    for (const key of this.#keys) {
      try {
        const options = { algorithms: [OWN_ALGORITHM], clockTolerance: CLOCK_SKEW_SECONDS };
        return (await jwtVerify(token, key, options)).payload;
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      }
    }
    return undefined;
  }

  async #verifyOutside(token: string): Promise<JWTPayload | undefined> {
    if (!this.#outside) return undefined;
    const { payload } = await jwtVerify(token, keysOf(this.#outside.keys), {
      algorithms: OUTSIDE_ALGORITHMS,
      issuer: this.#outside.issuer.issuer,
      audience: this.#outside.issuer.audience,
      clockTolerance: CLOCK_SKEW_SECONDS,
    });
    return payload;
  }
}

/** What is thrown of a key set that is there, for a token that it does not fit. */
const ABOUT_TOKENS = [
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
  errors.JOSENotSupported,
] as const;

/** Tells a key set that cannot be had, which is no fault of a token, from a key that is not in it. */
function keysOf(keys: JWTVerifyGetKey): JWTVerifyGetKey {
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (cause) {
      if (ABOUT_TOKENS.some((kind) => cause instanceof kind)) throw cause;
      const message = 'The keys of the issuer of tokens cannot be had at the moment';
      throw new ApiError('OVERLOADED', message, { retryAfterS: RETRY_AFTER_S, cause });
    }
  };
}

/** Undefined for what is no token. */
function algorithmOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).alg;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** A token that never expires is refused, as nothing could take it back. */
function toClaims(payload: JWTPayload): TokenClaims | undefined {
  const { sub, exp, scope } = payload;
  if (typeof sub !== 'string' || typeof exp !== 'number') return undefined;
  const scopes = typeof scope === 'string' ? scope.split(' ').filter(isScope) : [];
  return { accountId: sub, scopes, expiresAt: new Date(exp * 1000) };
}
