import { cpSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Copies the PostgreSQL of the Python package pgserver, which has the extension pgvector, to where
 * another user than root may run it.
 * @param python of the environment with the package
 * @returns the folder of its programs
 */
export function copyPgserver(python: string, folder: string): string {
  const lib = join(dirname(dirname(python)), 'lib');
  const version = readdirSync(lib).find((name) => name.startsWith('python3'))!;
  const packages = join(lib, version, 'site-packages');
  for (const name of ['pgserver/pginstall', 'pgserver.libs']) {
    cpSync(join(packages, name), join(folder, name), { recursive: true });
  }
  return join(folder, 'pgserver/pginstall/bin');
}
