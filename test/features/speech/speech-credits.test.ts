import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AccountsRepository } from '../../../src/features/auth/accounts.repository.js';
import { type SpeechApp, startSpeechApp } from '../../support/harness/app/speech-app.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';

const database = withDatabase();
let accountId: string;
let app: SpeechApp;

beforeAll(async () => {
  const accounts = new AccountsRepository(database.db);
  app = await startSpeechApp({
    credits: {
      spendOnSpeech: (_, characters) => accounts.spendOnSpeech(accountId, characters),
      refund: (_, credits) => accounts.refund(accountId, credits),
    },
  });
});
afterAll(() => app.close());
beforeEach(async () => {
  accountId = await new AccountsRepository(database.db).insert('An account of a test');
});

const setAccount = (balance: number | null, price: number) =>
  database
    .db('accounts')
    .where({ id: accountId })
    .update({ balance, price_per_1000_characters: price });

async function balance(): Promise<number | null> {
  const row = await database.db('accounts').where({ id: accountId }).first();
  return row.balance === null ? null : Number(row.balance);
}

describe('speech', () => {
  it('costs credits per character as displayed', async () => {
    await setAccount(1, 100);
    const response = await app.post('speech', { text: 'né 🎧!', audio_format: 'pcm_8000' });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    expect(await balance()).toBeCloseTo(1 - 0.5, 6);
  });

  it('is refused with 402 for insufficient credits, without deducting any', async () => {
    await setAccount(0.5, 100);
    for (const path of ['speech', 'speech/stream']) {
      const response = await app.post(path, { text: 'Hello!' });
      expect(response.status).toBe(402);
      expect(await response.json()).toMatchObject({ code: 'INSUFFICIENT_CREDITS' });
    }
    expect(await balance()).toBe(0.5);
    await setAccount(0, 0);
    expect((await app.post('speech', { text: 'Hello!' })).status).toBe(402);
  });

  it('never deducts more than the balance for concurrent requests', async () => {
    await setAccount(1, 100);
    const all = await Promise.all(
      Array.from({ length: 6 }, () =>
        app.post('speech', { text: 'four', audio_format: 'pcm_8000' }),
      ),
    );
    for (const response of all) await response.arrayBuffer();
    expect(all.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(await balance()).toBeCloseTo(0.2, 6);
  });

  it('costs nothing if it was rejected or failed', async () => {
    await setAccount(5, 100);
    expect((await app.post('speech', { text: 'x', voice_id: 'nobody' })).status).toBe(404);
    const response = await app.post('speech', { text: 'FAULT in the middle of it' });
    expect(response.status).toBe(500);
    expect(await balance()).toBe(5);
  });

  it('is unlimited with an unlimited balance', async () => {
    await setAccount(null, 100);
    expect((await app.post('speech', { text: 'Hello!' })).status).toBe(200);
    expect(await balance()).toBeNull();
  });
});
