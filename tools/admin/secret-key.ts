import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../src/config/config.js';
import { SecretBox } from '../../src/platform/secrets/secret-box.js';
import {
  SECRET_KEY_FILE,
  SecretKeys,
  splitSecrets,
} from '../../src/platform/secrets/secret-keys.js';
import { createOnce } from '../../src/platform/storage/durable-file.js';
import { AdminError } from './admin-error.js';
import type { Manifest } from './backup-manifest.js';

/** The installation's SECRET_KEY; `undefined` if it has none yet. */
export async function readSecretKey(config: Config): Promise<string | undefined> {
  if (config.SECRET_KEY !== undefined) return config.SECRET_KEY;
  try {
    return await readFile(join(config.DATA_DIR, SECRET_KEY_FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Ensures that the installation can decrypt a backup's secrets: with its own SECRET_KEY, or with the
 * backup's, which it then stores as its own.
 * @returns what to do with the secrets
 * @throws AdminError if it cannot decrypt them and `mayForget` is false
 */
export async function adoptSecretKey(
  config: Config,
  { seal_key_ids: needed }: Manifest,
  ofBackup: string | undefined,
  mayForget: boolean,
): Promise<'keep' | 'forget'> {
  const own = await readSecretKey(config);
  const secretKey = own ?? ofBackup;
  const box = secretKey === undefined ? undefined : boxOf(secretKey);
  if (needed.every((id) => box?.holds(id))) {
    if (own === undefined && ofBackup !== undefined) {
      await createOnce(join(config.DATA_DIR, SECRET_KEY_FILE), ofBackup);
    }
    return 'keep';
  }
  if (mayForget) return 'forget';
  throw new AdminError(
    'The backup’s secrets (of webhooks, tools and MCP servers) are encrypted with a SECRET_KEY that this installation does not have: set SECRET_KEY to it, or restore with --forget-secrets and enter them again.',
  );
}

function boxOf(secretKey: string): SecretBox {
  return new SecretBox(new SecretKeys(splitSecrets(secretKey)));
}
