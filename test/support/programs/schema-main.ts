// `npm run schema`: writes the schema of this version as SQL and as docs/reference/database.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from '../../../src/platform/db/connect.js';
import { startEmbeddedPostgres } from '../../../src/platform/db/embedded/embedded-postgres.js';
import { migrate } from '../../../src/platform/db/migrate.js';
import { dumpSchema } from '../harness/postgres/schema-dump.js';
import { CACHE, makeTestFolder } from '../harness/process/test-folder.js';
import { databaseReference } from '../reference/database-reference.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const folder = makeTestFolder();
const server = await startEmbeddedPostgres({ dataDir: folder, cacheDir: CACHE });
const db = connect(server.connection);
await migrate(db);
writeFileSync(`test/fixtures/schema/${version}.sql`, await dumpSchema(db));
writeFileSync('docs/reference/database.md', await databaseReference(db));
await db.destroy();
await server.stop();
await rm(folder, { recursive: true });
