import { expect, it } from 'vitest';
import { connect } from '../../src/db/connect.js';
import { migrate } from '../../src/db/migrate.js';
import { MIGRATIONS } from '../../src/db/migrations/migration-list.js';
import { withDatabase } from '../support/database.js';
import { describeWith } from '../support/needs.js';
import { otherMajor } from '../support/other-server.js';

describeWith(['other-postgresql'], 'a PostgreSQL of another major version', (tools) => {
  process.env.PARLEY_TEST_POSTGRES ??= tools['other-postgresql'];
  const database = withDatabase();

  it('is what the database suites of this project run against', async () => {
    const { rows } = await database.db.raw('show server_version_num');
    const major = Math.floor(Number(rows[0].server_version_num) / 10_000);
    expect(String(major)).toBe(otherMajor(tools['other-postgresql']));
    expect(major).not.toBe(18);
  });

  it('takes every migration from empty, and none twice', async () => {
    const db = connect(await database.createEmpty());
    await migrate(db);
    await migrate(db);
    const names = await db('schema_migrations').orderBy('name').pluck('name');
    expect(names).toEqual(MIGRATIONS.map(({ name }) => name));
    await db.destroy();
  });
});
