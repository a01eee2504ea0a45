import { createServer } from 'node:http';
import { pino } from 'pino';
import type { Embedder } from '../../media/embeddings/embedder.js';
import { SentenceModelEmbedder } from '../../media/embeddings/sentence-model-embedder.js';
import { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import { HybridSearch } from '../../src/features/knowledge/search/hybrid-search.js';
import { SearchThread } from '../../src/features/knowledge/search/search-thread.js';
import { modelFolder } from '../support/harness/process/model-folder.js';
// The product's calls with instant models, on the current thread.
import './density/instant-gateway.js';

const ID = 'minilm-l6-v2-int8';
const embedder = await SentenceModelEmbedder.openMiniLm({
  id: ID,
  folder: modelFolder(ID),
  scheduler: new CpuScheduler(1),
});
const [vector] = await embedder.embed(['When is it open?'], { priority: 'background' });
const known: Embedder = {
  id: ID,
  windowTokens: embedder.windowTokens,
  isRemote: false,
  embed: async () => [vector!],
};

function searchWith(by: Embedder): HybridSearch {
  const log = pino({ level: 'silent' });
  const databaseUrl = process.env.DATABASE_URL ?? '';
  const finder = new SearchThread(
    { databaseUrl, embeddingModel: ID, hasPgvector: false, maxBytes: 1 << 28 },
    log,
  );
  return new HybridSearch({ finder, embedder: by, log, timeoutMs: 30_000 });
}

const searches = { known: searchWith(known), whole: searchWith(embedder) };

/** `/known?kb=1&question=…` responds with the duration of one search in milliseconds. */
createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const search = searches[url.pathname === '/known' ? 'known' : 'whole'];
  const startedAt = performance.now();
  const found = await search.search(
    Number(url.searchParams.get('kb')),
    url.searchParams.get('question') ?? '',
    5,
  );
  const ms = performance.now() - startedAt;
  response.end(JSON.stringify({ ms, found: found.length }));
}).listen(Number(process.env.BENCH_PORT), '127.0.0.1');
