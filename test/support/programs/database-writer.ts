// A minimal gateway for tests that kill it. It starts the embedded database in the folder of its
// first argument, prints `ready`, then inserts rows and prints each row's number once it is
// committed.
import { connect } from '../../../src/platform/db/connect.js';
import { startEmbeddedPostgres } from '../../../src/platform/db/embedded/embedded-postgres.js';
import { CACHE } from '../harness/process/test-folder.js';

const [dataDir = ''] = process.argv.slice(2);
const server = await startEmbeddedPostgres({ dataDir, cacheDir: CACHE });
const db = connect(server.connection);
await db.raw('create table if not exists written (number integer primary key)');
const last = await db('written').max('number as number').first();
process.stdout.write('ready\n');
for (let number = (last?.number ?? 0) + 1; ; number++) {
  await db('written').insert({ number });
  process.stdout.write(`${number}\n`);
}
