import { createServer } from 'node:http';
import { HybridSearch } from '../../src/features/knowledge/search/hybrid-search.js';

/**
 * The product with an additional port that searches with its own index: `?kb=1&question=…` returns
 * the ms.
 */
let product: HybridSearch | undefined;
const { search } = HybridSearch.prototype;
HybridSearch.prototype.search = function (this: HybridSearch, ...args) {
  product ??= this; // the instance used by calls
  return search.apply(this, args);
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
