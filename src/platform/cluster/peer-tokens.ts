import type { SecretKeys } from '../secrets/secret-keys.js';
import { SignedTokens } from '../secrets/signed-tokens.js';

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
  readonly #tokens: SignedTokens;

  constructor(secrets: SecretKeys) {
    this.#tokens = new SignedTokens(secrets, 'gateway-links');
  }

  /** @param gatewayId the only one that takes it. */
  issue(gatewayId: string, { what, accountId, callId }: PeerRequest): Promise<string> {
    const claims = { what, ...(callId !== undefined && { call: callId }) };
    return this.#tokens.signJwt({ ...claims, sub: accountId, aud: gatewayId }, LIVES);
  }

  /** Undefined when it was not made with our secret, for another gateway, or too long ago. */
  async verify(token: string, gatewayId: string): Promise<PeerRequest | undefined> {
    const checks = { audience: gatewayId, clockTolerance: LIVES };
    const claims = await this.#tokens.verifyJwt(token, checks);
    if (claims?.sub === undefined) return undefined;
    const { sub, what, call } = claims;
    if (what !== 'events' && what !== 'audio') return undefined;
    return { what, accountId: sub, ...(typeof call === 'string' && { callId: call }) };
  }
}
