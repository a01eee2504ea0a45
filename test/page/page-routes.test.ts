import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageRoutes } from '../../src/page/page.routes.js';

const built = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

describe('pageRoutes', () => {
  let server: Server;
  beforeAll(async () => {
    const app = express();
    app.use(pageRoutes({ page: built('src/page/public'), media: built('media') }));
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);

  it('serves every module that the worklets load, as what a browser runs', async () => {
    const seen = new Set<string>();
    const load = async (path: string): Promise<void> => {
      if (seen.has(path)) return;
      seen.add(path);
      const response = await ask(path);
      expect(`${response.status} ${path}`).toBe(`200 ${path}`);
      expect(response.headers.get('content-type')).toMatch(/javascript/);
      expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
      for (const [, from] of (await response.text()).matchAll(/ from ["'](.+)["'];$/gm)) {
        await load(new URL(from!, `http://page${path}`).pathname);
      }
    };
    for (const path of ['/main.js', '/call/capture-worklet.js', '/call/player-worklet.js']) {
      await load(path);
    }
    expect(seen).toContain('/media/resample/resampler.js');
  });

  it('serves nothing else of the media layer', async () => {
    for (const path of ['/media/codec/wav.js', '/media/resample/../codec/wav.js', '/media/']) {
      expect((await ask(path)).status).toBe(404);
    }
  });
});
