import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { isCallId } from '../../calls/store/call-id.js';
import type { SecretKeys } from '../../platform/secrets/secret-keys.js';
import { isSameHash } from '../../platform/secrets/timing-safe-equal.js';

/** A carrier opens its socket seconds after it was told where. */
const LIVES_S = 60;
/** As long as a token can be, with room to spare. */
const MAX_TOKEN = 1_024;

/** The one call that a token lets in. */
export interface MediaPass {
  readonly callId: string;
  /** The carrier's name of it: what the socket says must be the same. */
  readonly carrierCallId: string;
}

const Payload = z.tuple([
  z.string().refine(isCallId),
  z.string().min(1).max(200),
  z.number().int().positive(),
]);

/**
 * Tokens in the paths of media sockets, for carriers that can send nothing else. Each is for one call
 * and expires; it works once, as a call is taken once.
 */
export class MediaTokens {
  readonly #keys: readonly [Buffer, ...Buffer[]];
  readonly #now: () => number;

  /** @param now Unix milliseconds */
  constructor(secrets: SecretKeys, now: () => number = Date.now) {
    const [current, ...older] = secrets.derive('media-tokens');
    this.#keys = [current.bytes, ...older.map(({ bytes }) => bytes)];
    this.#now = now;
  }

  /** Of letters, digits, `-`, `_` and one dot: safe as a segment of a path. */
  issue({ callId, carrierCallId }: MediaPass): string {
    const expires = Math.floor(this.#now() / 1000) + LIVES_S;
    const payload = Buffer.from(JSON.stringify([callId, carrierCallId, expires])).toString(
      'base64url',
    );
    return `${payload}.${signed(this.#keys[0], payload).toString('base64url')}`;
  }

  /** Undefined for a token that is none, was changed, or has expired. */
  read(token: string): MediaPass | undefined {
    const [payload = '', signature = '', ...rest] = token.split('.');
    if (token.length > MAX_TOKEN || rest.length > 0) return undefined;
    const given = Buffer.from(signature, 'base64url');
    const isOurs = this.#keys.some((key) => {
      const known = signed(key, payload);
      return isSameHash(given, known);
    });
    if (!isOurs) return undefined;
    const [callId, carrierCallId, expires] = Payload.parse(
      JSON.parse(Buffer.from(payload, 'base64url').toString()),
    );
    return expires * 1000 > this.#now() ? { callId, carrierCallId } : undefined;
  }
}

function signed(key: Buffer, payload: string): Buffer {
  return createHmac('sha256', key).update(payload).digest();
}
