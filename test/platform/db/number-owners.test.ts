import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { connect } from '../../../src/platform/db/connect.js';
import { migrate } from '../../../src/platform/db/migrate.js';
import { MIGRATIONS } from '../../../src/platform/db/migrations/migration-list.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';

const NAME = '0022-number-owners';
const database = withDatabase();

async function insertAgent(db: Knex, account_id: string, status: string, phone_number: unknown) {
  const id = randomUUID();
  const config = JSON.stringify({ phone_number });
  await db('agents').insert({ id, account_id, name: 'Pool', status, config });
  return id;
}

it("assigns each deployed agent's number to its account and logs the agents of other owners", async () => {
  const db = connect(await database.createEmpty());
  try {
    const at = MIGRATIONS.findIndex(({ name }) => name === NAME);
    await migrate(db, MIGRATIONS.slice(0, at));
    const [one, two] = [randomUUID(), randomUUID()];
    await db('accounts').insert([one, two].map((id) => ({ id, name: 'An account' })));
    const order = (phone_number: string, is_ordered: boolean) => ({
      phone_number,
      account_id: one,
      provider: 'twilio',
      is_ordered,
    });
    await db('phone_numbers').insert([
      order('+15550100', true),
      order('+15550101', true),
      order('+15550102', false),
    ]);
    const foreign = await insertAgent(db, two, 'deployed', '+15550100');
    await insertAgent(db, one, 'deployed', '+15550101');
    await insertAgent(db, one, 'deployed', '+15550102');
    await insertAgent(db, two, 'deployed', '+15550103');
    await insertAgent(db, two, 'paused', '+15550104');
    await insertAgent(db, two, 'deployed', null);
    const logged: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
    await migrate(db, MIGRATIONS, log);
    const owners = await db('phone_numbers')
      .orderBy('phone_number')
      .select('phone_number', 'account_id', 'provider', 'is_assigned');
    const row = (number: string, account_id: string, provider: unknown, is_assigned: boolean) => ({
      phone_number: number,
      account_id,
      provider,
      is_assigned,
    });
    expect(owners).toEqual([
      row('+15550100', one, 'twilio', false),
      row('+15550101', one, 'twilio', false),
      row('+15550102', one, 'twilio', true),
      row('+15550103', two, null, true),
    ]);
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { level: 40, agent: foreign, account: two, owner: one },
    ]);
    expect(logged[0]).not.toContain('+15550100');
  } finally {
    await db.destroy();
  }
});
