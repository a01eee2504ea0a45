import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AccountsRepository } from '../../../../src/features/auth/accounts.repository.js';
import { IndexingRepository } from '../../../../src/features/knowledge/indexing/indexing.repository.js';
import { KnowledgeRepository } from '../../../../src/features/knowledge/knowledge.repository.js';
import type { PassageQuery } from '../../../../src/features/knowledge/search/hybrid-retriever.js';
import { PassagesRepository } from '../../../../src/features/knowledge/search/passages.repository.js';
import { SearchThread } from '../../../../src/features/knowledge/search/search-thread.js';
import { urlOf } from '../../../../src/platform/db/connect.js';
import { withDatabase } from '../../../support/harness/postgres/test-database.js';

const MODEL = 'three-ways';
const TEXTS = ['The sauna is closed on Mondays.', 'A swim costs four euros.', 'Towels are rented.'];
const database = withDatabase();
const lines: unknown[] = [];
const log = { warn: (fields: object, message: string) => lines.push({ ...fields, message }) };
let thread: SearchThread;
let passageQuery: PassageQuery;

beforeAll(async () => {
  const { db } = database;
  const repository = new IndexingRepository(db, MODEL);
  const accountId = await new AccountsRepository(db).insert('An account of a test');
  const documents = TEXTS.map((content) => ({ content, metadata: {} }));
  const { kbId } = await new KnowledgeRepository(db, MODEL).insert(accountId, { documents });
  await repository.transaction(async (transaction) => {
    const work = (await repository.claim(transaction, 100))!;
    for (const [i, document] of work.documents.entries()) {
      const passage = { title: '', text: TEXTS[i]! };
      await repository.insertPassages(transaction, { kbId, document, language: 'en' }, [passage]);
      const [stored] = await repository.withoutVectors(transaction, [document.id], 1);
      await repository.storeVectors(transaction, kbId, new Map([[stored!.id, [direction(i)]]]));
    }
  });
  const version = (await new PassagesRepository(db, MODEL).versionOf(kbId))!;
  passageQuery = {
    kbId,
    version,
    question: 'When is the sauna closed?',
    limit: 2,
    timeoutMs: 30_000,
  };
  thread = makeThread();
});
afterEach(() => lines.splice(0));
afterAll(() => thread.close());

function makeThread(): SearchThread {
  const databaseUrl = urlOf(database.connection);
  const data = { databaseUrl, embeddingModel: MODEL, hasPgvector: false, maxBytes: 1 << 20 };
  return new SearchThread(data, log);
}

function direction(i: number): Float32Array {
  return Float32Array.from({ length: 3 }, (_, at) => (at === i ? 1 : 0));
}

async function textsOf(query: Promise<Float32Array | undefined>, more: object = {}) {
  return (await thread.find({ ...passageQuery, ...more }, query)).passages.map(({ text }) => text);
}

describe('search thread', () => {
  it('merges vector and full-text results and returns the state', async () => {
    const { passages, version } = await thread.find(passageQuery, Promise.resolve(direction(1)));
    expect(passages.map(({ text }) => text).sort()).toEqual([TEXTS[1], TEXTS[0]]);
    expect(version).toEqual(passageQuery.version);
    expect(await thread.versionOf(passageQuery.kbId)).toEqual(passageQuery.version);
    expect(await thread.versionOf(2 ** 31 - 1)).toBeUndefined();
    expect(lines).toEqual([]);
  });

  it('serves other queries while one waits for its vector', async () => {
    let give = (_: Float32Array): void => undefined;
    const first = textsOf(
      new Promise((resolve) => {
        give = resolve;
      }),
    );
    expect(await textsOf(Promise.resolve(direction(1)), { limit: 1 })).toHaveLength(1);
    give(direction(1));
    expect(await first).toContain(TEXTS[1]);
  });

  it('omits vectors that are missing or late, and reports that', async () => {
    expect(await textsOf(Promise.resolve(undefined))).toEqual([TEXTS[0]]);
    expect(lines).toEqual([]);
    const late = new Promise<undefined>(() => undefined);
    // Full-text results may be late too.
    expect([[TEXTS[0]], []]).toContainEqual(await textsOf(late, { timeoutMs: 500 }));
    expect(lines).toContainEqual({
      list: 'vectors',
      message: 'A search of a knowledge base was not complete in time: the other list is used',
    });
  });

  it('reports a list that fails, without the query text', async () => {
    expect(await textsOf(Promise.resolve(direction(0)), { kbId: 'sauna' })).toEqual([]);
    expect(lines).toContainEqual({
      list: 'words',
      fault: '22P02',
      message: 'Cannot search a knowledge base',
    });
    expect(JSON.stringify(lines)).not.toContain('sauna');
    await expect(thread.versionOf('sauna' as never)).rejects.toThrow(
      'Cannot search knowledge bases (22P02)',
    );
  });

  it('fails its pending queries when it dies, and is replaced', async () => {
    const workers: Worker[] = [];
    const recordWorker = (worker: Worker) => workers.push(worker);
    process.on('worker', recordWorker);
    const mortal = makeThread();
    try {
      await mortal.find(passageQuery, Promise.resolve(direction(1)));
      const pendingQuery = mortal.find(passageQuery, new Promise(() => undefined));
      await workers[0]!.terminate();
      await expect(pendingQuery).rejects.toMatchObject({ code: 'WORKER_DIED' });
      const { passages } = await mortal.find(passageQuery, Promise.resolve(direction(1)));
      expect(passages).toHaveLength(2);
      expect(workers).toHaveLength(2);
    } finally {
      process.off('worker', recordWorker);
      await mortal.close();
    }
  });

  it('continues after its database connections were lost', async () => {
    const found = () => textsOf(Promise.resolve(direction(1))).catch(() => []);
    expect(await found()).toHaveLength(2);
    const { rows } = await database.db.raw(
      `select count(pg_terminate_backend(pid))::int as count from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    expect(rows[0].count).toBeGreaterThan(0);
    await expect
      .poll(async () => (await found()).sort(), { timeout: 30_000 })
      .toEqual([TEXTS[1], TEXTS[0]]);
  });
});
