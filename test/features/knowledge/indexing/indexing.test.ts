import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { KnowledgeSearch } from '../../../../agents-runtime/contract/knowledge.js';
import { OpenAiEmbedder } from '../../../../agents-runtime/providers/openai-embeddings.js';
import { runToEnd } from '../../../../media/async/cooperative.js';
import { chunkDocument, embeddingWindows } from '../../../../media/embeddings/document-chunker.js';
import type { Embedder } from '../../../../media/embeddings/embedder.js';
import { SentenceModelEmbedder } from '../../../../media/embeddings/sentence-model-embedder.js';
import { CpuScheduler } from '../../../../media/runtime/cpu-scheduler.js';
import { DocumentsRepository } from '../../../../src/features/knowledge/documents.repository.js';
import { Indexer } from '../../../../src/features/knowledge/indexing/indexer.js';
import { IndexingRepository } from '../../../../src/features/knowledge/indexing/indexing.repository.js';
import { FullTextSearchRepository } from '../../../../src/features/knowledge/search/full-text-search.repository.js';
import { HybridRetriever } from '../../../../src/features/knowledge/search/hybrid-retriever.js';
import { HybridSearch } from '../../../../src/features/knowledge/search/hybrid-search.js';
import { MemoryVectorIndex } from '../../../../src/features/knowledge/search/memory-vector-index.js';
import { PassagesRepository } from '../../../../src/features/knowledge/search/passages.repository.js';
import {
  type Ask,
  EMBEDDING_MODEL,
  withControlPlane,
} from '../../../support/harness/app/control-plane-app.js';
import { modelFolder } from '../../../support/harness/process/model-folder.js';

// Indexing has the lowest CPU priority.
vi.setConfig({ testTimeout: 60_000 });

const PATH = '/knowledge-base';
/** Length of MiniLM vectors. */
const DIMENSIONS = 384;
let wake = (): void => undefined;
const plane = withControlPlane({
  onDocuments: () => wake(),
  whyIndexingWaits: () => indexers.at(-1)?.waitReason(),
});
const embedder = await SentenceModelEmbedder.openMiniLm({
  id: EMBEDDING_MODEL,
  folder: modelFolder(EMBEDDING_MODEL),
  scheduler: new CpuScheduler(1),
});
const log = pino({ level: 'silent' });
const indexers: Indexer[] = [];
let ask: Ask;
beforeAll(async () => {
  ask = await plane.asNewAccount();
});
afterEach(async () => {
  await Promise.all(indexers.splice(0).map((indexer) => indexer.close()));
});
afterAll(() => embedder.close());

function passages(model = EMBEDDING_MODEL) {
  return new PassagesRepository(plane.database.db, model);
}

function startIndexer(through: Embedder = embedder): Indexer {
  const indexer = new Indexer({
    repository: new IndexingRepository(plane.database.db, through.id),
    embedder: through,
    log,
  });
  indexers.push(indexer);
  wake = indexer.wake;
  indexer.start();
  return indexer;
}

async function make(contents: readonly string[]): Promise<number> {
  const documents = contents.map((content) => ({ content }));
  const { body } = await ask('POST', PATH, { documents });
  return body.kb_id;
}

async function message(kbId: number): Promise<string> {
  return (await ask('GET', `${PATH}/${kbId}`)).body.message;
}

async function isReady(kbId: number): Promise<void> {
  await expect.poll(() => message(kbId), { timeout: 50_000 }).toMatch(/^ready/);
}

async function find(search: KnowledgeSearch, kbId: number, question: string): Promise<string[]> {
  return (await search.search(kbId, question, 2)).map(({ text }) => text);
}

function newSearch(vectors = newVectors(), by: Embedder = embedder): HybridSearch {
  return new HybridSearch({
    finder: new HybridRetriever({
      repository: passages(by.id),
      words: new FullTextSearchRepository(plane.database.db),
      vectors,
      log,
    }),
    embedder: by,
    log,
    timeoutMs: 30_000,
  });
}

function newVectors(maxBytes = 1 << 20, model?: string): MemoryVectorIndex {
  return new MemoryVectorIndex(passages(model), maxBytes);
}

/** The IDs of the passages that have a vector of a model, nearest first. */
async function nearestIds(model: string, kbId: number, query: Float32Array): Promise<number[]> {
  const vectors = new MemoryVectorIndex(passages(model), 1 << 20);
  const version = await passages().versionOf(kbId);
  return (await vectors.nearest(kbId, version!, query, 5)).map(({ id }) => id);
}

/** An embedder under another ID, which may fail. */
function otherEmbedder(id: string, check: (texts: readonly string[]) => void = () => undefined) {
  return {
    id,
    windowTokens: embedder.windowTokens,
    isRemote: false,
    embed: async (...given: Parameters<Embedder['embed']>) => {
      check(given[0]);
      return embedder.embed(...given);
    },
  };
}

const POOL = '# Prices\n- A swim costs four euros.\n- Towels cost two euros.';
const HOURS = 'The pool opens at six in the morning.\n\nThe sauna is closed on Mondays.';

describe('indexing', () => {
  it('makes new documents searchable, best passage first', async () => {
    startIndexer();
    const kbId = await make([POOL, HOURS]);
    await isReady(kbId);
    expect(await message(kbId)).toBe('ready: 2 passages');
    const search = newSearch();
    expect((await find(search, kbId, 'How much is a swim?'))[0]).toMatch(/^- A swim costs four/);
    expect((await find(search, kbId, 'When can I use the sauna?'))[0]).toMatch(/sauna/);
    const [best] = await search.search(kbId, 'towel rental', 1);
    expect(best).toMatchObject({ title: 'Prices', documentId: expect.any(Number) });
    expect(best!.text).toMatch(/Towels cost two euros/);
    expect(best!.similarity).toBeGreaterThan(0.3);
    expect(await search.search(2 ** 31 - 1, 'towels', 3)).toEqual([]);
  });

  it('resumes after a restart in the middle of a document', async () => {
    const lines = Array.from({ length: 300 }, (_, i) => `- Room ${i} is on floor ${i % 7}.`);
    const passages = runToEnd(chunkDocument(lines.join('\n')));
    const windows = passages.flatMap((passage) => embeddingWindows(passage, embedder.windowTokens));
    const kbId = await make([lines.join('\n')]);
    let embedded = 0;
    let reached = (): void => undefined;
    const isInside = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const first = startIndexer(
      otherEmbedder(EMBEDDING_MODEL, (texts) => {
        embedded += texts.length;
        if (embedded > 16) reached();
      }),
    );
    await isInside;
    await first.close(); // as a kill would: the current batch is lost, earlier ones stay
    expect(await message(kbId)).toBe('indexing 1 of 1 documents');
    expect((await find(newSearch(), kbId, 'Room 3')).length).toBe(2); // searchable already
    let again = 0;
    startIndexer(
      otherEmbedder(EMBEDDING_MODEL, (texts) => {
        again += texts.length;
      }),
    );
    await isReady(kbId);
    expect(await message(kbId)).toBe(`ready: ${passages.length} passages`);
    expect(again).toBeLessThanOrEqual(windows.length - 16);
  });

  it('removes replaced documents from the search of every gateway', async () => {
    startIndexer();
    const kbId = await make([HOURS]);
    await isReady(kbId);
    const vectors = newVectors();
    const otherSearch = newSearch(vectors);
    expect((await find(otherSearch, kbId, 'When does the pool open?'))[0]).toMatch(/six/);
    await ask('PUT', `${PATH}/${kbId}`, { documents: [{ content: 'The pool opens at nine.' }] });
    await isReady(kbId);
    expect(await find(otherSearch, kbId, 'When does the pool open?')).toEqual([
      'The pool opens at nine.',
    ]);
    await ask('DELETE', `${PATH}/${kbId}`);
    expect(await find(otherSearch, kbId, 'When does the pool open?')).toEqual([]);
    expect(vectors.loadedBytes).toBe(0);
  });

  it('is repeated for another model, and only its vectors are searched', async () => {
    const first = startIndexer();
    const kbId = await make([HOURS]);
    await isReady(kbId);
    await first.close();
    const [query] = await embedder.embed(['pool'], { priority: 'turn' });
    expect(await nearestIds('next-model', kbId, query!)).toEqual([]);
    startIndexer(otherEmbedder('next-model'));
    const found = async () => (await nearestIds('next-model', kbId, query!)).length;
    await expect.poll(found, { timeout: 50_000 }).toBe(1);
    expect(await nearestIds(EMBEDDING_MODEL, kbId, query!)).toEqual([]);
    await indexers.pop()!.close();
    await ask('DELETE', `${PATH}/${kbId}`);
  });

  it('skips a document that fails repeatedly and continues with others', async () => {
    const kbId = await make(['A poisoned text.', 'The bar opens at noon.']);
    startIndexer(
      otherEmbedder(EMBEDDING_MODEL, (texts) => {
        if (texts.some((text) => text.includes('poisoned'))) throw new Error('cannot');
      }),
    );
    await isReady(kbId);
    expect(await message(kbId)).toBe('ready: 1 passage, 1 document not indexed');
    await indexers.pop()!.close();
    startIndexer(); // the next start tries again
    await expect.poll(() => message(kbId), { timeout: 50_000 }).toBe('ready: 2 passages');
  });

  it('by several gateways processes each passage once, and documents without words immediately', async () => {
    const texts: string[] = [];
    const counting = otherEmbedder(EMBEDDING_MODEL, (batch) => texts.push(...batch));
    const kbIds = [await make(['-- !! --']), await make([POOL, HOURS]), await make([HOURS, POOL])];
    startIndexer(counting);
    startIndexer(counting);
    for (const kbId of kbIds) await isReady(kbId);
    expect(await message(kbIds[0]!)).toBe('ready: 0 passages');
    expect(texts.length).toBe(4);
  });

  it('of one document does not wait for all documents of another account', async () => {
    const texts: string[] = [];
    const recording = otherEmbedder(EMBEDDING_MODEL, (batch) => texts.push(...batch));
    const many = await make(Array.from({ length: 100 }, (_, i) => `Lane ${i} opens at six.`));
    const other = await plane.asNewAccount();
    const documents = [{ content: 'The bar opens at noon.' }];
    const { body } = await other('POST', PATH, { documents });
    startIndexer(recording);
    await isReady(many);
    expect((await other('GET', `${PATH}/${body.kb_id}`)).body.message).toBe('ready: 1 passage');
    const at = texts.findIndex((text) => text.includes('The bar'));
    // After at most one batch of the other account.
    expect(at).toBeGreaterThanOrEqual(0);
    expect(at).toBeLessThanOrEqual(16);
  });

  it('extracts the file of one account between the files of another', async () => {
    const files = new DocumentsRepository(plane.database.db, EMBEDDING_MODEL);
    const file = { name: 'bar.txt', kind: 'text', bytes: Buffer.from('x'), metadata: {} } as const;
    const kbId = await make(['The pool opens at six.']);
    for (let i = 0; i < 3; i++) await files.insert(kbId, file, 9);
    const other = await plane.asNewAccount();
    const { body } = await other('POST', PATH, { documents: [{ content: 'The bar.' }] });
    await files.insert(body.kb_id, file, 9);
    const claimed = [];
    let last: string | undefined;
    for (let i = 0; i < 4; i++) {
      const next = (await files.claimFile(last))!;
      last = next.accountId;
      claimed.push(next);
    }
    expect(claimed.slice(0, 2).map((each) => each.kbId)).toContain(body.kb_id);
    for (const each of claimed) await files.storeFailure(each, 'a test');
  });

  it('of a knowledge base that is deleted meanwhile ends without an error', async () => {
    startIndexer();
    const deletedBase = await make([
      Array.from({ length: 60 }, (_, i) => `- Item ${i} red.`).join('\n'),
    ]);
    const other = await make([HOURS]);
    expect((await ask('DELETE', `${PATH}/${deletedBase}`)).status).toBe(204);
    await isReady(other);
  });
});

describe('search', () => {
  it('that started with the interim transcript is used for the final one', async () => {
    startIndexer();
    const kbId = await make([POOL, HOURS]);
    await isReady(kbId);
    const embeddedTexts: string[] = [];
    const counting = otherEmbedder(EMBEDDING_MODEL, (texts) => embeddedTexts.push(...texts));
    const search = newSearch(newVectors(), counting);
    const interim = search.search(kbId, 'when does the pool open', 2);
    const final = search.search(kbId, 'When does the pool open?', 2);
    expect(await final).toEqual(await interim);
    expect((await final)[0]!.text).toMatch(/six/);
    expect(await search.search(kbId, 'When does the pool open?', 2)).toBe(await final);
    expect(embeddedTexts).toHaveLength(1);
    await search.search(kbId, 'When does the bar open?', 2);
    expect(embeddedTexts).toHaveLength(2);
  });
});

describe('vector cache', () => {
  it('is limited: the least recently used entries are evicted first', async () => {
    startIndexer();
    const kbIds = [await make([HOURS]), await make([HOURS]), await make([HOURS])];
    for (const kbId of kbIds) await isReady(kbId);
    const bytes = DIMENSIONS * 4;
    const vectors = newVectors(2 * bytes);
    const search = newSearch(vectors);
    for (const kbId of kbIds) await find(search, kbId, 'sauna');
    expect(vectors.loadedBytes).toBe(2 * bytes);
    expect((await find(search, kbIds[0]!, 'sauna'))[0]).toMatch(/sauna/);
  });

  it('adds the vectors of new documents, and is loaded again after deletions', async () => {
    startIndexer();
    const kbId = await make([HOURS]);
    await isReady(kbId);
    const counted = new CountingRepository(plane.database.db, EMBEDDING_MODEL);
    const vectors = new MemoryVectorIndex(counted, 1 << 20);
    const [query] = await embedder.embed(['sauna'], { priority: 'turn' });
    const ask = async () => vectors.nearest(kbId, (await counted.versionOf(kbId))!, query!, 9);
    expect(await ask()).toHaveLength(1);
    const documents = new DocumentsRepository(plane.database.db, EMBEDDING_MODEL);
    const file = { name: 'bar.txt', kind: 'text', bytes: Buffer.from('x'), metadata: {} } as const;
    const added = await documents.insert(kbId, file, 9);
    const claimed = await documents.claimFile();
    await documents.storeText(claimed!, { text: 'The bar opens at noon.', title: '' });
    wake();
    await expect.poll(async () => (await ask()).length, { timeout: 50_000 }).toBe(2);
    expect(counted.read).toBe(2); // each passage once
    await documents.delete(kbId, added!.id);
    expect(await ask()).toHaveLength(1);
    expect(counted.read).toBe(3);
  });
});

describe('unavailable embedding endpoint', () => {
  it('pauses indexing with a status message, and indexing continues when it is back', async () => {
    let isAway = true;
    let tried = 0;
    const server = createServer(async (request, response) => {
      tried++;
      const { input } = JSON.parse((await buffer(request)).toString()) as { input: string[] };
      const data = input.map((text, index) => ({ index, embedding: [text.length, 1] }));
      response.writeHead(isAway ? 503 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isAway ? {} : { data }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const remote = new OpenAiEmbedder({
      baseUrl: `http://127.0.0.1:${port}`,
      model: 'far',
      apiKey: undefined,
    });
    const search = newSearch(newVectors(1 << 20, remote.id), remote);
    try {
      startIndexer(remote);
      const kbId = await make([HOURS]);
      const waitingMessage =
        'indexing 1 of 1 documents, waiting: the embedding endpoint does not respond';
      const db = plane.database.db;
      await expect.poll(() => message(kbId), { timeout: 50_000 }).toBe(waitingMessage);
      // Full-text search finds passages while vector search is unavailable.
      const found = async () => (await find(search, kbId, 'When is the sauna closed?')).join();
      await expect.poll(found, { timeout: 50_000 }).toMatch(/sauna/);
      const before = tried;
      isAway = false;
      const indexed = async () => {
        const { rows } = await db.raw(
          'select count(*)::int as count from documents where kb_id = ? and indexed_with = ? and failures = 0',
          [kbId, remote.id],
        );
        return rows[0].count;
      };
      await expect.poll(indexed, { timeout: 50_000 }).toBe(1);
      expect(tried).toBeGreaterThan(before);
      expect(indexers.at(-1)!.waitReason()).toBeUndefined();
    } finally {
      server.close();
    }
  });
});

/** Counts the vectors that are read. */
class CountingRepository extends PassagesRepository {
  read = 0;

  override async *vectorsOf(...embeddedTexts: Parameters<PassagesRepository['vectorsOf']>) {
    for await (const part of super.vectorsOf(...embeddedTexts)) {
      this.read += part.ids.length;
      yield part;
    }
  }
}
