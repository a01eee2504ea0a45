import { randomUUID } from 'node:crypto';
import type { SecretKeys } from '../../platform/secrets/secret-keys.js';
import { SignedTokens } from '../../platform/secrets/signed-tokens.js';

/** Lifetimes of the tokens. A client can end its call at any time of a long call. */
const LIFETIMES = { join: '10m', end: '24h' } as const;

export type CallTokenUse = keyof typeof LIFETIMES;

/** Issues and verifies the tokens of single calls: JWTs that name the call and the use. */
export class CallTokens {
  readonly #tokens: SignedTokens;

  constructor(secrets: SecretKeys) {
    this.#tokens = new SignedTokens(secrets, 'call-tokens');
  }

  issue(callId: string, use: CallTokenUse): Promise<string> {
    return this.#tokens.signJwt({ use, sub: callId, jti: randomUUID() }, LIFETIMES[use]);
  }

  /** The id of the call; undefined if the token is invalid, expired or for another use. */
  async verify(token: string, use: CallTokenUse): Promise<string | undefined> {
    const claims = await this.#tokens.verifyJwt(token);
    return claims?.use === use ? claims.sub : undefined;
  }
}
