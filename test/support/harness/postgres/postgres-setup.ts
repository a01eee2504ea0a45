import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { connect, type DatabaseConnection } from '../../../../src/platform/db/connect.js';
import { findBinaries } from '../../../../src/platform/db/embedded/binaries.js';
import { LOCALE_ARGS } from '../../../../src/platform/db/embedded/data-folder.js';
import { migrate } from '../../../../src/platform/db/migrate.js';
import { CACHE, makeTestFolder } from '../process/test-folder.js';
import { createCluster, startPostgres, TEST_SERVER_USER } from './postgres-server.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The PostgreSQL of the test run. Its database is migrated; test files use copies of it. */
    postgres: DatabaseConnection;
  }
}

/** Starts one PostgreSQL of the embedded version per test run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  return providePostgres(
    project,
    await findBinaries({ cacheDir: CACHE, user: TEST_SERVER_USER }),
    LOCALE_ARGS,
  );
}

/**
 * Starts and migrates a server for the test files of a project.
 * @param bin the folder with the programs
 * @param locale arguments of `initdb`
 * @returns stops the server
 */
export async function providePostgres(
  project: TestProject,
  bin: string,
  locale?: readonly string[],
): Promise<() => Promise<void>> {
  const folder = makeTestFolder();
  const data = join(folder, 'data');
  await createCluster(bin, data, locale);
  const server = await startPostgres(bin, data);
  const db = connect(server.connection);
  await migrate(db);
  // PostgreSQL can copy a database only while it has no connections.
  await db.destroy();
  project.provide('postgres', server.connection);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
