import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import { afterEach, expect, it } from 'vitest';
import { docsSiteRouter } from '../../../src/platform/http/docs-site.router.js';
import { makeTestFolder } from '../../support/harness/process/test-folder.js';

const folder = makeTestFolder();
let close: (() => void) | undefined;
afterEach(() => close?.());

async function serve(site: string): Promise<string> {
  const server = createServer(express().use(docsSiteRouter(site))).listen(0, '127.0.0.1');
  close = () => server.close();
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('a built site is served, and exactly its inline scripts are allowed', async () => {
  writeFileSync(join(folder, 'inline-scripts.json'), '["\'sha256-abc\'"]');
  writeFileSync(join(folder, 'page.html'), '<p>Help</p>');
  const response = await fetch(`${await serve(folder)}/help/page`);
  expect(await response.text()).toBe('<p>Help</p>');
  const policy = response.headers.get('content-security-policy');
  expect(policy).toContain("script-src 'self' 'sha256-abc';");
});

it('without a built site nothing is served', async () => {
  expect((await fetch(`${await serve(join(folder, 'absent'))}/help/`)).status).toBe(404);
});
