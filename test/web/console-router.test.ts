import { once } from 'node:events';
import { type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consoleRouter } from '../../src/server.js';

const built = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

describe('consoleRouter', () => {
  let server: Server;
  beforeAll(async () => {
    const app = express();
    app.use(consoleRouter({ console: built('src/web'), media: built('media') }));
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);

  /** The policy of the page for a browser that reaches the gateway by this host name. */
  const connectSources = async (host: string, publicUrl?: string) => {
    const app = express();
    app.use(consoleRouter({ console: built('src/web'), media: built('media'), publicUrl }));
    const own = app.listen(0, '127.0.0.1');
    await once(own, 'listening');
    const { port } = own.address() as AddressInfo;
    const clientRequest = request({ port, host: '127.0.0.1', headers: { host } }).end();
    const [response] = (await once(clientRequest, 'response')) as [IncomingMessage];
    response.resume();
    own.close();
    const policy = String(response.headers['content-security-policy']);
    return policy.split('; ').find((directive) => directive.startsWith('connect-src'));
  };

  it('allow the page to open sockets to its own host only', async () => {
    expect(await connectSources('127.0.0.1:8080')).toBe(
      "connect-src 'self' ws://127.0.0.1:8080 wss://127.0.0.1:8080",
    );
    expect(await connectSources('inside:8080', 'https://voice.example.com')).toBe(
      "connect-src 'self' ws://inside:8080 wss://inside:8080 ws://voice.example.com wss://voice.example.com",
    );
    expect(await connectSources('evil;script-src *')).toBe("connect-src 'self'");
  });

  it('serve every module of the worklets as browser code', async () => {
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
    expect(seen).toContain('/media/audio/resampler.js');
  });

  it('serve nothing else of the media layer', async () => {
    for (const path of ['/media/codec/wav.js', '/media/audio/../codec/wav.js', '/media/']) {
      expect((await ask(path)).status).toBe(404);
    }
  });
});
