import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { ApiError } from '../../platform/http/api-error.js';
import { isScope, type Scope } from '../../platform/http/scopes.js';
import type { SecretKeys } from '../../platform/secrets/secret-keys.js';
import { JWT_ALGORITHM, SignedTokens } from '../../platform/secrets/signed-tokens.js';

const OUTSIDE_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
/** Longest JWT, characters. Checked before anything is decoded. */
const MAX_TOKEN_LENGTH = 8_192;
const CLOCK_SKEW_SECONDS = 5;
/** `Retry-After` while a key set is unreachable. */
const RETRY_AFTER_S = 10;

/** The key set of another issuer, and the required claims of its tokens. */
export interface OutsideIssuer {
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
}

/** The claims of a valid token. */
export interface TokenClaims {
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date;
}

/** Issues and verifies JWTs of accounts: `sub` (account id), `scope` (separated by spaces), `exp`. */
export class JsonWebTokens {
  readonly #own: SignedTokens;
  readonly #outside: { readonly keys: JWTVerifyGetKey; readonly issuer: OutsideIssuer } | undefined;

  constructor(secrets: SecretKeys, outside?: OutsideIssuer) {
    this.#own = new SignedTokens(secrets, 'json-web-tokens');
    this.#outside = outside && {
      keys: createRemoteJWKSet(new URL(outside.jwksUrl)),
      issuer: outside,
    };
  }

  /** Whether a bearer text has the form of a JWT rather than an API key. */
  static hasForm(text: string): boolean {
    return text.length <= MAX_TOKEN_LENGTH && text.split('.').length === 3;
  }

  issue(accountId: string, scopes: readonly Scope[], expiresAt: Date): Promise<string> {
    return this.#own.signJwt({ sub: accountId, scope: scopes.join(' ') }, expiresAt);
  }

  /**
   * The claims of a token; undefined if it is not valid.
   * @throws ApiError OVERLOADED while the key set of the other issuer is unreachable
   */
  async verify(token: string): Promise<TokenClaims | undefined> {
    const payload =
      algorithmOf(token) === JWT_ALGORITHM
        ? await this.#own.verifyJwt(token, { clockTolerance: CLOCK_SKEW_SECONDS })
        : await this.#verifyOutside(token);
    return payload && toClaims(payload);
  }

  async #verifyOutside(token: string): Promise<JWTPayload | undefined> {
    if (!this.#outside) return undefined;
    const { keys, issuer } = this.#outside;
    try {
      const { payload } = await jwtVerify(token, keysOf(keys), {
        algorithms: OUTSIDE_ALGORITHMS,
        issuer: issuer.issuer,
        audience: issuer.audience,
        clockTolerance: CLOCK_SKEW_SECONDS,
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
}

/** Errors of a reachable key set about a token that it does not match. */
const TOKEN_ERRORS = [
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
  errors.JOSENotSupported,
] as const;

/** Distinguishes an unreachable key set from a key that it does not contain. */
function keysOf(keys: JWTVerifyGetKey): JWTVerifyGetKey {
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (cause) {
      if (TOKEN_ERRORS.some((kind) => cause instanceof kind)) throw cause;
      const message = 'The key set of the token issuer is unreachable: try again later';
      throw new ApiError('OVERLOADED', message, { retryAfterS: RETRY_AFTER_S, cause });
    }
  };
}

/** Undefined if the text is no token. */
function algorithmOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).alg;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** A token without `exp` is rejected, because it could not be revoked. */
function toClaims(payload: JWTPayload): TokenClaims | undefined {
  const { sub, exp, scope } = payload;
  if (typeof sub !== 'string' || typeof exp !== 'number') return undefined;
  const scopes = typeof scope === 'string' ? scope.split(' ').filter(isScope) : [];
  return { accountId: sub, scopes, expiresAt: new Date(exp * 1000) };
}
