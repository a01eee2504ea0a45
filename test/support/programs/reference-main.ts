// `npm run reference`: writes the reference pages that are generated from tables of the source.
import { mkdirSync, writeFileSync } from 'node:fs';
import { REFERENCE_PAGES } from '../reference/reference-pages.js';

mkdirSync('docs/reference', { recursive: true });
for (const [name, page] of Object.entries(REFERENCE_PAGES)) {
  writeFileSync(`docs/reference/${name}.md`, page());
}
