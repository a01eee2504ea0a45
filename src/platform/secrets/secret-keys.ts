import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_SECRETS, MIN_SECRET_LENGTH } from '../../config/security.settings.js';
import { createOnce } from '../storage/durable-file.js';

/** File in DATA_DIR with the secret that the first start generates. */
export const SECRET_KEY_FILE = 'secret-key';

/** Each purpose has its own key, so that no key serves two algorithms. */
export type SecretPurpose =
  | 'at-rest'
  | 'json-web-tokens'
  | 'call-tokens'
  | 'media-tokens'
  | 'signed-urls'
  | 'peer-api';

/** A key derived from one of the secrets. `id` identifies the key without revealing it. */
export interface DerivedKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * The service's secret, from which every key is derived. Several secrets mean a rotation in progress:
 * the first one signs and encrypts, all of them verify and decrypt.
 */
export class SecretKeys {
  readonly #secrets: readonly string[];

  /** @throws RangeError when there is no secret, too many, or one is too short */
  constructor(secrets: readonly string[]) {
    if (secrets.length === 0) throw new RangeError('SECRET_KEY contains no secret');
    if (secrets.length > MAX_SECRETS) {
      throw new RangeError(`SECRET_KEY contains more than ${MAX_SECRETS} secrets`);
    }
    if (secrets.some((secret) => secret.length < MIN_SECRET_LENGTH)) {
      throw new RangeError(
        `A secret in SECRET_KEY is shorter than ${MIN_SECRET_LENGTH} characters: create one with "openssl rand -base64 32"`,
      );
    }
    this.#secrets = secrets;
  }

  /** The keys for one purpose, 32 bytes each, the current one first. */
  derive(purpose: SecretPurpose): readonly [DerivedKey, ...DerivedKey[]] {
    const [first, ...older] = this.#secrets.map((secret) => deriveKey(secret, purpose));
    return [first!, ...older];
  }
}

/**
 * The secrets of this installation: those of the setting (a comma list, the current one first), or
 * the one in `DATA_DIR/secret-key`, which the first start generates with mode 0600.
 */
export async function loadSecretKeys(dataDir: string, setting?: string): Promise<SecretKeys> {
  if (setting !== undefined) return new SecretKeys(splitSecrets(setting));
  const path = join(dataDir, SECRET_KEY_FILE);
  // If two processes start at once, one creates the file and both read it.
  await createOnce(path, `${randomBytes(32).toString('base64url')}\n`);
  return new SecretKeys(splitSecrets(await readFile(path, 'utf8')));
}

/** The secrets of a comma list or of the file. */
export function splitSecrets(list: string): string[] {
  return list
    .split(/[,\n]/)
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');
}

/** HKDF with SHA-256. Source: RFC 5869; the purpose goes into `info`. */
function deriveKey(secret: string, purpose: SecretPurpose): DerivedKey {
  const bytes = Buffer.from(hkdfSync('sha256', secret, 'parley', purpose, 32));
  const id = createHash('sha256').update('key id').update(bytes).digest('hex').slice(0, 8);
  return { id, bytes };
}
