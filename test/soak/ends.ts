import { rm } from 'node:fs/promises';
import { connect } from '../../src/platform/db/connect.js';
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/embedded-postgres.js';
import { migrate } from '../../src/platform/db/migrate.js';
import { numberBehind } from '../bench/comparison.js';
import { CACHE, makeTestFolder } from '../support/harness/process/test-folder.js';
import { killEnding, setUpKills } from '../support/programs/call-ending-kills.js';

/** `npm run soak -- ends --rounds 200`: kills a process that ends calls, once per round. */
export async function run(args: readonly string[]): Promise<number> {
  const rounds = numberBehind(args, '--rounds', 200);
  const dataDir = makeTestFolder();
  const server = await startEmbeddedPostgres({ dataDir, cacheDir: CACHE });
  const db = connect(server.connection);
  let acknowledged = 0;
  try {
    await migrate(db);
    const kills = await setUpKills(db, server.connection);
    for (let round = 0; round < rounds; round++) acknowledged += await killEnding(kills);
  } catch (error) {
    console.error('after', acknowledged, 'ends:', error);
    return 1;
  } finally {
    await db.destroy();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  console.log(`${rounds} kills: ${acknowledged} ends acknowledged, none lost and none by half`);
  return 0;
}
