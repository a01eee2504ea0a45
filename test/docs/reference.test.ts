import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { callSocketAsyncApi } from '../support/reference/call-socket-asyncapi.js';
import { REFERENCE_PAGES } from '../support/reference/reference-pages.js';

describe('generated reference pages', () => {
  it.each(Object.entries(REFERENCE_PAGES))('%s.md is current: npm run reference', (name, page) => {
    const path = new URL(`../../../docs/reference/${name}.md`, import.meta.url);
    expect(readFileSync(fileURLToPath(path), 'utf8')).toBe(page());
  });

  it('call-socket.asyncapi.json is current: npm run reference', () => {
    const path = new URL('../../../docs/public/call-socket.asyncapi.json', import.meta.url);
    expect(JSON.parse(readFileSync(fileURLToPath(path), 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(callSocketAsyncApi())),
    );
  });
});
