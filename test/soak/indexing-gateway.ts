import { createServer } from 'node:http';
import { HybridSearch } from '../../src/features/knowledge/search/hybrid-search.js';

/** The product itself, beside a port that has its own search asked: `?kb=1&question=…` tells the ms. */
let product: HybridSearch | undefined;
const { search } = HybridSearch.prototype;
HybridSearch.prototype.search = function (this: HybridSearch, ...asked) {
  product ??= this; // the one that calls ask
  return search.apply(this, asked);
};

createServer(async (request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const startedAt = performance.now();
  const found = await product?.search(
    Number(searchParams.get('kb')),
    searchParams.get('question') ?? '',
    5,
  );
  const ms = performance.now() - startedAt;
  response.end(JSON.stringify({ ms, found: found?.length ?? 0 }));
}).listen(Number(process.env.SOAK_PORT), '127.0.0.1');

await import('../../src/main.js');
