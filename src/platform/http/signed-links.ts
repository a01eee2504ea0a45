import { createHmac } from 'node:crypto';
import type { SecretKeys } from '../secrets/secret-keys.js';
import { isSameHash } from '../secrets/timing-safe-equal.js';

/** Source: the contract's supplement, §8. */
const LINK_LIVES_S = 3_600;

/** Makes and checks links that need no key: each is for one path, until it expires. */
export class SignedLinks {
  readonly #keys: readonly [Buffer, ...Buffer[]];
  readonly #now: () => number;

  /** @param now Unix milliseconds */
  constructor(secrets: SecretKeys, now: () => number = Date.now) {
    const [current, ...older] = secrets.derive('signed-urls');
    this.#keys = [current.bytes, ...older.map(({ bytes }) => bytes)];
    this.#now = now;
  }

  /** The path with what proves that it was made here, for an hour. */
  sign(path: string): string {
    const expires = String(Math.floor(this.#now() / 1000) + LINK_LIVES_S);
    const signature = signatureOf(this.#keys[0], path, expires).toString('base64url');
    return `${path}?${new URLSearchParams({ expires, signature })}`;
  }

  /**
   * Whether a request's target was signed here and has not expired. The path is compared as it was
   * sent: the URL parser takes `\\` for `/` and resolves dots, which the router does not.
   */
  isValid(target: string): boolean {
    const [path = '', ...query] = target.split('?');
    const searchParams = new URLSearchParams(query.join('?'));
    const expires = searchParams.get('expires') ?? '';
    const given = Buffer.from(searchParams.get('signature') ?? '', 'base64url');
    if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1000 <= this.#now()) return false;
    return this.#keys.some((key) => {
      const known = signatureOf(key, path, expires);
      return isSameHash(given, known);
    });
  }
}

function signatureOf(key: Buffer, path: string, expires: string): Buffer {
  return createHmac('sha256', key).update(`${path}\n${expires}`).digest();
}
