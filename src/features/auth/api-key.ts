import { createHash, randomBytes } from 'node:crypto';

const PREFIX_BYTES = 8;
const SECRET_BYTES = 24;
/** `vk_`, the public part, `_`, and 192 random bits. */
const API_KEY = /^vk_([0-9a-f]{16})_[0-9a-f]{48}$/;

/** A new key. Its text is shown once; only the prefix and the hash are stored. */
export interface NewApiKey {
  readonly text: string;
  readonly prefix: string;
  readonly hash: Buffer;
}

export function makeApiKey(): NewApiKey {
  const prefix = randomBytes(PREFIX_BYTES).toString('hex');
  const text = `vk_${prefix}_${randomBytes(SECRET_BYTES).toString('hex')}`;
  return { text, prefix, hash: hashApiKey(text) };
}

/** The public part that identifies a key; undefined if the text is no key. */
export function prefixOfApiKey(text: string): string | undefined {
  return API_KEY.exec(text)?.[1];
}

/** SHA-256 is sufficient, because a key is random and cannot be guessed. */
export function hashApiKey(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
