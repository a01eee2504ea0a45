import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { freePort } from '../support/harness/process/free-port.js';
import { describeWith } from '../support/harness/process/required-tools.js';
import { ServerProcess } from '../support/harness/process/server-process.js';
import { DEPLOY } from './deploy-files.js';

/** A fake gateway that returns its name and a configurable readiness. */
class NamedServer {
  isReady = true;
  readonly server: Server;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
    this.server = createServer((request, response) => this.#answer(request, response));
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return (this.server.address() as AddressInfo).port;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const isRefused = request.url === '/readyz' && !this.isReady;
    response.writeHead(isRefused ? 503 : 200).end(this.#name);
  }
}

describeWith(['caddy'], 'reverse proxy', (tools) => {
  const gateways = [new NamedServer('one'), new NamedServer('two')];
  const liveKit = new NamedServer('livekit');
  const folder = mkdtempSync(join(tmpdir(), 'parley-proxy-'));
  let caddy: ServerProcess | undefined;
  let url: string;
  let liveKitUrl: string;
  let insideUrl: string;

  beforeAll(async () => {
    const ports = await Promise.all([...gateways, liveKit].map((server) => server.listen()));
    const [port, liveKitPort, insidePort] = await Promise.all([freePort(), freePort(), freePort()]);
    url = `http://127.0.0.1:${port}`;
    liveKitUrl = `http://127.0.0.1:${liveKitPort}`;
    insideUrl = `http://127.0.0.1:${insidePort}`;
    caddy = await ServerProcess.start({
      command: tools.caddy,
      args: ['run', '--config', join(DEPLOY, 'Caddyfile'), '--adapter', 'caddyfile'],
      env: {
        HOME: folder,
        PARLEY_HOST: url,
        LIVEKIT_HOST: liveKitUrl,
        INSIDE_PORT: String(insidePort),
        GATEWAYS: `127.0.0.1:${ports[0]} 127.0.0.1:${ports[1]}`,
        LIVEKIT: `127.0.0.1:${ports[2]}`,
        ADMIN: `127.0.0.1:${await freePort()}`,
      },
      readyUrl: `${url}/readyz`,
      readyWithinMs: 30_000,
    });
  });

  afterAll(async () => {
    await caddy?.kill();
    for (const { server } of [...gateways, liveKit]) server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const who = async (path: string) => (await fetch(url + path)).text();
  const whoFor = (paths: readonly string[]) => Promise.all(paths.map(who));
  const sockets = Array.from({ length: 24 }, (_, i) => `/api/v1/calls/call-${i}/socket`);

  it("routes a call's sockets to the same gateway, and other calls to both", async () => {
    const first = await whoFor(sockets);
    expect(new Set(first)).toEqual(new Set(['one', 'two']));
    expect(await whoFor(sockets)).toEqual(first);
  });

  it('blocks the metrics', async () => {
    for (const path of ['/metrics', '/metrics/', '/metric%73', '//metrics']) {
      expect((await fetch(url + path)).status, path).toBe(404);
    }
  });

  it('serves LiveKit under a separate host name, and accepts its webhooks from inside', async () => {
    expect(await (await fetch(`${liveKitUrl}/rtc`)).text()).toBe('livekit');
    const webhook = await fetch(`${insideUrl}/livekit/webhook`, { method: 'POST' });
    expect(['one', 'two']).toContain(await webhook.text());
    expect(await (await fetch(`${insideUrl}/api/v1/agent`)).text()).toBe('');
  });

  it('sends no new requests to a gateway that is stopping', async () => {
    gateways[0]!.isReady = false;
    const all = [...sockets, '/', '/api/v1/agent', '/docs', '/'];
    // Each part of the proxy checks the readiness of a gateway separately.
    await vi.waitUntil(async () => !(await whoFor(all)).includes('one'), 30_000);
    expect(new Set(await whoFor(all))).toEqual(new Set(['two']));
  });
});
