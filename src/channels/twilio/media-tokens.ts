import { z } from 'zod';
import { isUuid } from '../../platform/http/validation/schema-builders.js';
import type { SecretKeys } from '../../platform/secrets/secret-keys.js';
import { SignedTokens } from '../../platform/secrets/signed-tokens.js';

/** Lifetime of a token. A carrier opens its socket within seconds. */
const LIFETIME_S = 60;
/** Longest token, characters. */
const MAX_TOKEN_LENGTH = 1_024;

/** The call that a token admits. */
export interface MediaClaims {
  readonly callId: string;
  /** The carrier's id of the call. The socket must send the same one. */
  readonly carrierCallId: string;
}

const Payload = z.tuple([
  z.string().refine(isUuid),
  z.string().min(1).max(200),
  z.number().int().positive(),
]);

/**
 * Tokens in the paths of media sockets, for carriers that can send no other credential. A token admits
 * one call, expires, and works once because a call is joined once.
 */
export class MediaTokens {
  readonly #tokens: SignedTokens;
  readonly #now: () => number;

  /** @param now Unix milliseconds */
  constructor(secrets: SecretKeys, now: () => number = Date.now) {
    this.#tokens = new SignedTokens(secrets, 'media-tokens');
    this.#now = now;
  }

  /** A token of letters, digits, `-`, `_` and one dot, which is safe as a segment of a path. */
  issue({ callId, carrierCallId }: MediaClaims): string {
    const expires = Math.floor(this.#now() / 1000) + LIFETIME_S;
    const payload = Buffer.from(JSON.stringify([callId, carrierCallId, expires])).toString(
      'base64url',
    );
    return `${payload}.${this.#tokens.signText(payload)}`;
  }

  /** Undefined if the token is malformed, changed or expired. */
  read(token: string): MediaClaims | undefined {
    const [payload = '', signature = '', ...rest] = token.split('.');
    if (token.length > MAX_TOKEN_LENGTH || rest.length > 0) return undefined;
    if (!this.#tokens.isTextSigned(payload, signature)) return undefined;
    const [callId, carrierCallId, expires] = Payload.parse(
      JSON.parse(Buffer.from(payload, 'base64url').toString()),
    );
    return expires * 1000 > this.#now() ? { callId, carrierCallId } : undefined;
  }
}
