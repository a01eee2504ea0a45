import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { findTool } from '../process/required-tools.js';
import { makeTestFolder } from '../process/test-folder.js';
import { copyPgserver } from './pgserver.js';
import { providePostgres } from './postgres-setup.js';

/** A PostgreSQL of another major version than the embedded one, if it is available. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const python = findTool('postgresql-16');
  if (python === undefined) return undefined;
  const folder = makeTestFolder();
  const stop = await providePostgres(project, copyPgserver(python, folder));
  return async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
}
