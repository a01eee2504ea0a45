import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { DerivedKey, SecretKeys } from './secret-keys.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
/** `sealed:1:<key id>:<base64url of nonce, text and tag>` */
const SEALED = /^sealed:1:([0-9a-f]{8}):([A-Za-z0-9_-]+)$/;

/** Whether a text has the form of an encrypted text. */
export function isSealed(text: string): boolean {
  return SEALED.test(text);
}

/** An encrypted text cannot be decrypted: the key is missing, or the text was changed or moved. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/**
 * Encrypts secrets for the database with AES-256-GCM. Every encrypted text is bound to a place (such
 * as its row and field). It cannot be decrypted in another place.
 */
export class SecretBox {
  readonly #current: DerivedKey;
  readonly #keys: ReadonlyMap<string, DerivedKey>;

  constructor(secrets: SecretKeys) {
    const keys = secrets.derive('at-rest');
    this.#current = keys[0];
    this.#keys = new Map(keys.map((key) => [key.id, key]));
  }

  seal(text: string, place: string): string {
    const nonce = randomBytes(NONCE_LENGTH);
    const cipher = createCipheriv(ALGORITHM, this.#current.bytes, nonce);
    cipher.setAAD(Buffer.from(place));
    const body = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()]);
    const sealed = Buffer.concat([body, cipher.getAuthTag()]);
    return `sealed:1:${this.#current.id}:${sealed.toString('base64url')}`;
  }

  /** @throws SealError if the text was encrypted with another key or for another place */
  open(sealed: string, place: string): string {
    const [, keyId, encoded] = SEALED.exec(sealed) ?? [];
    if (keyId === undefined || encoded === undefined)
      throw new SealError('The text is not encrypted');
    const key = this.#keys.get(keyId);
    if (!key) {
      throw new SealError(
        'A stored secret was encrypted with a secret that SECRET_KEY does not contain: add the older secret after the newest one',
      );
    }
    return decrypt(Buffer.from(encoded, 'base64url'), key, place);
  }

  /** Whether texts that were encrypted with the key of this id can be decrypted. */
  holds(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  /** Whether a text was encrypted with an older key than the current one. */
  isOutdated(sealed: string): boolean {
    return SEALED.exec(sealed)?.[1] !== this.#current.id;
  }
}

function decrypt(bytes: Buffer, key: DerivedKey, place: string): string {
  if (bytes.length < NONCE_LENGTH + TAG_LENGTH)
    throw new SealError('An encrypted text is truncated');
  const nonce = bytes.subarray(0, NONCE_LENGTH);
  const decipher = createDecipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_LENGTH });
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(bytes.subarray(-TAG_LENGTH));
  try {
    const text = decipher.update(bytes.subarray(NONCE_LENGTH, -TAG_LENGTH), undefined, 'utf8');
    return text + decipher.final('utf8');
  } catch (cause) {
    throw new SealError('An encrypted text was changed or moved to another place', { cause });
  }
}
