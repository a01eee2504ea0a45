import type { SecretKeys } from '../secrets/secret-keys.js';
import { SignedTokens } from '../secrets/signed-tokens.js';

/** Lifetime of a link. */
const LIFETIME_S = 3_600;

/** Signs and verifies links that work without a key, each for one path until it expires. */
export class SignedLinks {
  readonly #tokens: SignedTokens;
  readonly #now: () => number;

  /** @param now - Unix milliseconds */
  constructor(secrets: SecretKeys, now: () => number = Date.now) {
    this.#tokens = new SignedTokens(secrets, 'signed-urls');
    this.#now = now;
  }

  /** The path with its expiry and signature. The link is valid for an hour. */
  sign(path: string): string {
    const expires = String(Math.floor(this.#now() / 1000) + LIFETIME_S);
    const signature = this.#tokens.signText(signedText(path, expires));
    return `${path}?${new URLSearchParams({ expires, signature })}`;
  }

  /**
   * Whether a request's target has a valid signature and has not expired. The path is compared
   * literally: a URL parser would replace `\\` by `/` and resolve dots, which the router does not.
   */
  isValid(target: string): boolean {
    const [path = '', ...query] = target.split('?');
    const searchParams = new URLSearchParams(query.join('?'));
    const expires = searchParams.get('expires') ?? '';
    if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1000 <= this.#now()) return false;
    return this.#tokens.isTextSigned(
      signedText(path, expires),
      searchParams.get('signature') ?? '',
    );
  }
}

function signedText(path: string, expires: string): string {
  return `${path}\n${expires}`;
}
