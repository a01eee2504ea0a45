import { expect, it } from 'vitest';
import { connect } from '../../../src/platform/db/connect.js';
import { migrate } from '../../../src/platform/db/migrate.js';
import { MIGRATIONS } from '../../../src/platform/db/migrations/migration-list.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';
import { describeWith } from '../../support/harness/process/required-tools.js';

describeWith(['postgresql-16'], 'PostgreSQL of another major version', () => {
  const database = withDatabase();

  it('is the server of the database suites of this project', async () => {
    const { rows } = await database.db.raw('show server_version_num');
    const major = Math.floor(Number(rows[0].server_version_num) / 10_000);
    expect(major).toBe(16);
  });

  it('runs every migration once on an empty database', async () => {
    const db = connect(await database.createEmpty());
    await migrate(db);
    await migrate(db);
    const names = await db('schema_migrations').orderBy('name').pluck('name');
    expect(names).toEqual(MIGRATIONS.map(({ name }) => name));
    await db.destroy();
  });
});
