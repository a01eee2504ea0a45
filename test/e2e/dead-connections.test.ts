import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  endedCall,
  makeAgent,
  requestConnection,
  SHOP,
} from '../support/harness/call/call-agents.js';
import { CallClient } from '../support/harness/call/call-client.js';
import { type Product, startProduct } from '../support/harness/process/product.js';

/** A proxy between caller and gateway that can stop forwarding without closing its connections. */
class Router {
  readonly #server: Server;
  readonly #sockets: Socket[] = [];

  private constructor(port: number) {
    this.#server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.push(from);
        from.pipe(to);
        from.on('error', () => to.destroy());
      }
    });
  }

  static async start(port: number): Promise<Router> {
    const router = new Router(port);
    router.#server.listen(0, '127.0.0.1');
    await once(router.#server, 'listening');
    return router;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Stops forwarding. */
  freeze(): void {
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

describe.concurrent('dead connection', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct();
  });
  afterAll(() => product?.stop());

  async function callOver(router: Router) {
    const details = await requestConnection(
      product,
      await makeAgent(product, { ...SHOP, greeting: '' }),
    );
    const url = new URL(details.server_url);
    url.port = String(router.port);
    const near = { ...details, server_url: url.href };
    const client = new CallClient(near);
    await client.connect();
    client.type('How much are twelve red roses?');
    await client.state('speaking');
    await sleep(800);
    return { client, callId: details.call_id };
  }

  it('loses no audio if the client reconnects before the gateway detects it', async () => {
    const { port } = new URL(product.url);
    const router = await Router.start(Number(port));
    const { client } = await callOver(router);
    router.freeze();
    await sleep(2_000);
    // The client detects the loss first.
    const { lastSeq } = client;
    client.drop();
    await client.resume(product.url);
    await client.state('listening', lastSeq);
    await client.playedOut();
    expect(client.player.lostSamples).toBe(0);
    expect(client.player.hasPlayedAll).toBe(true);
    expect(client.finals.at(-1)).toMatch(/greenery\.$/);
    client.hangUp();
    expect(await client.closed()).toBe(1000);
    client.close();
    router.close();
  });

  it('is detected, and the call ends if no client reconnects', async () => {
    const { port } = new URL(product.url);
    const router = await Router.start(Number(port));
    const { client, callId } = await callOver(router);
    const frozenAt = Date.now();
    router.freeze();
    const row = await endedCall(product, callId);
    expect(row.ended_reason).toBe('error_transport');
    // Detected within 5 s, plus 10 s to reconnect. TCP alone would need 15 minutes.
    expect(Date.now() - frozenAt).toBeLessThan(40_000);
    expect(Date.now() - frozenAt).toBeGreaterThan(10_000);
    client.close();
    router.close();
  });
});
