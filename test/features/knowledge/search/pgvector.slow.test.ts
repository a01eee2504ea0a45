import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { AccountsRepository } from '../../../../src/features/auth/accounts.repository.js';
import { IndexingRepository } from '../../../../src/features/knowledge/indexing/indexing.repository.js';
import { KnowledgeRepository } from '../../../../src/features/knowledge/knowledge.repository.js';
import { MemoryVectorIndex } from '../../../../src/features/knowledge/search/memory-vector-index.js';
import { PassagesRepository } from '../../../../src/features/knowledge/search/passages.repository.js';
import { PgvectorRepository } from '../../../../src/features/knowledge/search/pgvector.repository.js';
import {
  hasPgvector,
  PgvectorIndex,
} from '../../../../src/features/knowledge/search/pgvector-index.js';
import { SearchThread } from '../../../../src/features/knowledge/search/search-thread.js';
import { connect, urlOf } from '../../../../src/platform/db/connect.js';
import { migrate } from '../../../../src/platform/db/migrate.js';
import { copyPgserver } from '../../../support/harness/postgres/pgserver.js';
import {
  createCluster,
  type PostgresServer,
  startPostgres,
} from '../../../support/harness/postgres/postgres-server.js';
import { describeWith } from '../../../support/harness/process/required-tools.js';
import { makeTestFolder } from '../../../support/harness/process/test-folder.js';

vi.setConfig({ hookTimeout: 120_000, testTimeout: 60_000 });
const log = pino({ level: 'silent' });
const MODEL = 'three-ways';

describeWith(['postgresql-16'], 'database with pgvector', (tools) => {
  const folder = makeTestFolder();
  let server: PostgresServer | undefined;
  let db: Knex;
  beforeAll(async () => {
    const bin = copyPgserver(tools['postgresql-16'], folder);
    await createCluster(bin, join(folder, 'data'));
    server = await startPostgres(bin, join(folder, 'data'));
    // As the superuser, who may install extensions.
    db = connect({ ...server.connection, user: 'postgres' });
    await migrate(db);
  });
  afterAll(async () => {
    await db?.destroy();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Creates passages with one or several vectors each. */
  async function makeBase(vectors: readonly (readonly number[])[][]) {
    const repository = new IndexingRepository(db, MODEL);
    const accountId = await new AccountsRepository(db).insert('An account of a test');
    const documents = vectors.map((_, i) => ({ content: `Passage ${i}.`, metadata: {} }));
    const fields = { name: 'Base', documents };
    const { kbId } = await new KnowledgeRepository(db, MODEL).insert(accountId, fields);
    const ids: number[] = [];
    await repository.transaction(async (transaction) => {
      const work = (await repository.claim(transaction, 100))!;
      for (const [i, document] of work.documents.entries()) {
        const passage = { title: '', text: `Passage ${i}.` };
        await repository.insertPassages(transaction, { kbId, document, language: 'en' }, [passage]);
        const [stored] = await repository.withoutVectors(transaction, [document.id], 1);
        ids.push(stored!.id);
        const parts = vectors[i]!.map((vector) => Float32Array.from(vector));
        await repository.storeVectors(transaction, kbId, new Map([[stored!.id, parts]]));
      }
      await repository.markIndexed(
        transaction,
        work.documents.map(({ id }) => id),
      );
    });
    return { kbId, ids, version: (await new PassagesRepository(db, MODEL).versionOf(kbId))! };
  }

  it('is detected, and gives the same results as the search in memory', async () => {
    expect(await hasPgvector(db, log)).toBe(true);
    expect(await hasPgvector(db, log)).toBe(true); // it is installed now
    const memory = new MemoryVectorIndex(new PassagesRepository(db, MODEL), 1 << 20);
    const search = new PgvectorIndex(await PgvectorRepository.open(db, MODEL), memory, log);
    await PgvectorRepository.open(db, MODEL); // as another gateway does
    const { kbId, ids, version } = await makeBase([
      [[1, 0, 0]],
      [
        [0, 1, 0],
        [0.6, 0.8, 0],
      ],
      [[0, 0, 1]],
    ]);
    await makeBase([[[1, 0, 0]]]); // those of other knowledge bases are not found
    const query = Float32Array.of(1, 0, 0);
    const first = await search.nearest(kbId, version, query, 2);
    expect(first.map(({ id }) => id)).toEqual([ids[0], ids[1]]);
    expect(memory.loadedBytes).toBeGreaterThan(0); // from memory until the vectors are copied
    await search.close();
    const second = await search.nearest(kbId, version, query, 2);
    expect(second.map(({ id }) => id)).toEqual([ids[0], ids[1]]);
    expect(second[1]!.score).toBeCloseTo(0.6, 5);
    expect(memory.loadedBytes).toBe(0);
    const { rows } = await db.raw('select count(*)::int as count from passage_vectors');
    expect(rows[0].count).toBe(4);
    await db('knowledge_bases').where({ kb_id: kbId }).delete();
    expect(await search.nearest(kbId, version, query, 2)).toEqual([]);
  });

  it('is used by the search thread, which copies the vectors first', async () => {
    await PgvectorRepository.open(db, MODEL);
    const { kbId, ids, version } = await makeBase([[[1, 0, 0]], [[0, 1, 0]]]);
    const databaseUrl = urlOf({ ...server!.connection, user: 'postgres' });
    const data = { databaseUrl, embeddingModel: MODEL, hasPgvector: true, maxBytes: 1 << 20 };
    const thread = new SearchThread(data, log);
    try {
      const passageQuery = { kbId, version, question: 'Nothing?', limit: 1, timeoutMs: 30_000 };
      const find = async () => {
        const query = Promise.resolve(Float32Array.of(0, 1, 0));
        return (await thread.find(passageQuery, query)).passages.map(({ id }) => id);
      };
      expect(await find()).toEqual([ids[1]]);
      const copied = async () =>
        (await db('passage_vectors').where({ kb_id: kbId }).select('passage_id')).length;
      await expect.poll(copied, { timeout: 30_000 }).toBe(2);
      expect(await find()).toEqual([ids[1]]);
    } finally {
      await thread.close();
    }
  });
});
