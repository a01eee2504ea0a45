import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { connect } from '../../../src/platform/db/connect.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';

describe('connect', () => {
  const database = withDatabase();

  async function value(expression: string): Promise<unknown> {
    const { rows } = await database.db.raw(`select ${expression} as value`);
    return rows[0].value;
  }

  it('returns int8 and counts as numbers, and as text where a number would lose precision', async () => {
    expect(await value('9007199254740991::int8')).toBe(Number.MAX_SAFE_INTEGER);
    expect(await value('count(*)')).toBe(1);
    expect(await value('9007199254740993::int8')).toBe('9007199254740993');
  });

  it('returns timestamps as Date in any time zone of the process, and dates as text', async () => {
    const moment = await value("'2026-03-01 12:00:00+02'::timestamptz");
    expect(moment).toEqual(new Date('2026-03-01T10:00:00Z'));
    expect(await value("'2026-03-01'::date")).toBe('2026-03-01');
  });

  it('returns decimals as text and JSON as objects', async () => {
    expect(await value('0.1::numeric + 0.2::numeric')).toBe('0.3');
    expect(await value(`'{"a":[1]}'::jsonb`)).toEqual({ a: [1] });
  });

  it('does not change the parsers of other users of pg', async () => {
    const { default: pg } = await import('pg');
    expect(pg.types.getTypeParser(pg.types.builtins.INT8)('1')).toBe('1');
  });

  it('accepts a URL', async () => {
    const { host, user, database: name } = database.connection;
    const db = connect(`postgres://${user}@/${name}?host=${encodeURIComponent(host)}`);
    const { rows } = await db.raw('select current_user as user, 3::int8 as three');
    await db.destroy();
    expect(rows).toEqual([{ user, three: 3 }]);
  });

  it('cancels a statement that exceeds its timeout', async () => {
    expect(await value("current_setting('statement_timeout')")).toBe('30s');
  });

  it('reports the violated constraint without values', async () => {
    await database.db.raw('create table phones (number text primary key)');
    const insert = () => database.db('phones').insert({ number: '+34600000000' });
    await insert();
    const error = await insert().catch((fault: unknown) => fault);
    expect(error).toMatchObject({ code: '23505', constraint: 'phones_pkey' });
    expect(inspect(error, { showHidden: true })).not.toContain('34600000000');
  });

  it('sorts and folds text by Unicode, without superuser rights', async () => {
    expect(await value("upper('çà ß')")).toBe('ÇÀ ß');
    expect(await value("current_setting('server_encoding')")).toBe('UTF8');
    expect(await value("current_setting('is_superuser')")).toBe('off');
  });
});
