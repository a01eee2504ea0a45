// `npm run reference`: writes the reference pages that are generated from tables of the source.
import { mkdirSync, writeFileSync } from 'node:fs';
import { callSocketAsyncApi } from '../reference/call-socket-asyncapi.js';
import { REFERENCE_PAGES } from '../reference/reference-pages.js';

mkdirSync('docs/reference', { recursive: true });
for (const [name, page] of Object.entries(REFERENCE_PAGES)) {
  writeFileSync(`docs/reference/${name}.md`, page());
}
mkdirSync('docs/public', { recursive: true });
writeFileSync(
  'docs/public/call-socket.asyncapi.json',
  `${JSON.stringify(callSocketAsyncApi(), undefined, 2)}\n`,
);
