import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import type { CallInput } from '../../../../agents-runtime/contract/transport.js';
import { WebSocketTransport } from '../../../../agents-runtime/transports/websocket/websocket-transport.js';
import { VirtualClock } from '../../../support/harness/audio/virtual-clock.js';
import { OversizedSender } from '../../../support/harness/call/oversized-sender.js';

it('a client that stalls within an oversized frame gets 1009, and its call loses the connection immediately', async () => {
  const clock = new VirtualClock();
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload: 65_536 });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const events: string[] = [];
  const call = {
    connected: () => events.push('connected'),
    lost: () => events.push('lost'),
  } as unknown as CallInput;
  server.on('connection', (socket) => {
    const options = { clock, callId: 'c', resumeToken: 'r', sampleRate: 24_000 } as const;
    new WebSocketTransport({ ...options, audio: { up: 'pcm', down: 'pcm' } }).start(call, socket);
  });
  await once(server, 'listening');
  const sender = await OversizedSender.open(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  );
  await sender.begin();
  await expect.poll(() => events).toEqual(['connected', 'lost']);
  clock.advance(25_000);
  expect(await sender.finish()).toBe(1009);
});
