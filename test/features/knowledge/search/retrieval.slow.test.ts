import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SentenceModelEmbedder } from '../../../../media/embeddings/sentence-model-embedder.js';
import { CpuScheduler } from '../../../../media/runtime/cpu-scheduler.js';
import { AccountsRepository } from '../../../../src/features/auth/accounts.repository.js';
import { Indexer } from '../../../../src/features/knowledge/indexing/indexer.js';
import { IndexingRepository } from '../../../../src/features/knowledge/indexing/indexing.repository.js';
import { KnowledgeRepository } from '../../../../src/features/knowledge/knowledge.repository.js';
import { FullTextSearchRepository } from '../../../../src/features/knowledge/search/full-text-search.repository.js';
import { HybridSearch } from '../../../../src/features/knowledge/search/hybrid-search.js';
import { MemoryVectorIndex } from '../../../../src/features/knowledge/search/memory-vector-index.js';
import { PassagesRepository } from '../../../../src/features/knowledge/search/passages.repository.js';
import { fuseRankings } from '../../../../src/features/knowledge/search/rank-fusion.js';
import { SearchThread } from '../../../../src/features/knowledge/search/search-thread.js';
import { urlOf } from '../../../../src/platform/db/connect.js';
import { distractors, questionPairs } from '../../../support/corpora/retrieval-corpus.js';
import { EMBEDDING_MODEL } from '../../../support/harness/app/control-plane-app.js';
import { withDatabase } from '../../../support/harness/postgres/test-database.js';
import { modelFolder } from '../../../support/harness/process/model-folder.js';

// About two thousand passages are embedded by the real model.
vi.setConfig({ hookTimeout: 240_000, testTimeout: 60_000 });

const BEST = 5;
const log = pino({ level: 'silent' });
const database = withDatabase();
const embedder = await SentenceModelEmbedder.openMiniLm({
  id: EMBEDDING_MODEL,
  folder: modelFolder(EMBEDDING_MODEL),
  scheduler: new CpuScheduler(1),
});
const pairs = questionPairs();
const others = distractors();
let kbId: number;
let repository: PassagesRepository;
afterAll(() => embedder.close());

beforeAll(async () => {
  const { db } = database;
  repository = new PassagesRepository(db, embedder.id);
  const knowledge = new KnowledgeRepository(db, embedder.id);
  const accountId = await new AccountsRepository(db).insert('An account of a test');
  // The relevant passages are spread evenly among the distractors.
  const every = Math.floor(others.length / pairs.length);
  const contents = others.flatMap((content, i) => {
    const pair = i % every === 0 ? pairs[i / every] : undefined;
    return pair ? [content, pair.passage] : [content];
  });
  const documents = contents.map((content) => ({ content, metadata: {} }));
  const made = await knowledge.insert(accountId, { name: 'All', documents });
  ({ kbId } = made);
  const indexer = new Indexer({
    repository: new IndexingRepository(db, embedder.id),
    embedder,
    log,
  });
  indexer.start();
  const isReady = async () => {
    const { indexedCount, documentCount } = (await knowledge.find(accountId, kbId))!;
    return indexedCount === documentCount;
  };
  while (!(await isReady())) await sleep(250);
  await indexer.close();
});

/** Share of the questions whose passage is among the results of `search`. */
async function recall(search: (question: string) => Promise<readonly number[]>): Promise<number> {
  let found = 0;
  for (const { question, passage } of pairs) {
    const ids = (await search(question)).slice(0, BEST);
    const texts = (await repository.passages(ids)).passages.map(({ text }) => text);
    if (texts.includes(passage)) found++;
  }
  return found / pairs.length;
}

describe('retrieval', () => {
  it('finds the passage with the answer, by embeddings and full text combined', async () => {
    const { db } = database;
    expect(pairs.length).toBeGreaterThanOrEqual(100);
    expect(others.length).toBeGreaterThanOrEqual(2_000);
    const words = new FullTextSearchRepository(db);
    const vectors = new MemoryVectorIndex(repository, 1 << 26);
    const finder = new SearchThread(
      {
        databaseUrl: urlOf(database.connection),
        embeddingModel: embedder.id,
        hasPgvector: false,
        maxBytes: 1 << 26,
      },
      log,
    );
    const search = new HybridSearch({ finder, embedder, log, timeoutMs: 30_000 });
    const version = (await repository.versionOf(kbId))!;
    const known = await words.wordsOf(kbId);
    const near = async (question: string) => {
      const [query] = await embedder.embed([question], { priority: 'turn' });
      return vectors.nearest(kbId, version, query!, 60);
    };
    const shared = (question: string) => words.search(kbId, question, known, 60);
    const byVectors = await recall(async (question) => (await near(question)).map(({ id }) => id));
    const byWords = await recall(async (question) => (await shared(question)).map(({ id }) => id));
    const byBoth = await recall(async (question) =>
      fuseRankings(await near(question), await shared(question)).map(({ id }) => id),
    );
    const hybridRecall = await recall(async (question) =>
      (await search.search(kbId, question, BEST)).map(({ id }) => id),
    );
    await finder.close();
    const percent = (share: number) => `${Math.round(share * 1_000) / 10} %`;
    process.stdout.write(
      `recall@${BEST} of ${pairs.length} questions among ${others.length} other passages: both ${percent(byBoth)}, vectors alone ${percent(byVectors)}, words alone ${percent(byWords)}\n`,
    );
    expect(hybridRecall).toBeGreaterThanOrEqual(0.85);
    expect(hybridRecall).toBe(byBoth);
    expect(byBoth).toBeGreaterThan(byWords);
  });
});
