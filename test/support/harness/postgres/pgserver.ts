import { cpSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Copies PostgreSQL with pgvector from the Python package pgserver to a folder that users other
 * than root can access.
 * @param python interpreter of the environment with the package
 * @returns the folder with the programs
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
