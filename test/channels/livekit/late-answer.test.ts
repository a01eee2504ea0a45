import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ServerMessage, WorkerMessage } from '@livekit/protocol';
import { expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { WorkerConnection } from '../../../agents-runtime/transports/livekit/worker-connection.js';
import { VirtualClock } from '../../support/harness/audio/virtual-clock.js';

it('a late answer to a job is a refusal while LiveKit can still try another gateway', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const messages: WorkerMessage['message'][] = [];
  let socket: WebSocket | undefined;
  const send = (message: ConstructorParameters<typeof ServerMessage>[0]) =>
    socket?.send(new ServerMessage(message).toBinary());
  server.on('connection', (connected) => {
    socket = connected;
    connected.on('message', (data: Buffer) =>
      messages.push(WorkerMessage.fromBinary(data).message),
    );
  });
  const clock = new VirtualClock();
  let isRequested = false;
  const worker = new WorkerConnection({
    clock,
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: async () => 'token',
    agentName: 'parley',
    state: () => ({ isFull: false, load: 0, jobs: 0 }),
    onAsked: async () => {
      isRequested = true;
      return new Promise(() => undefined);
    },
    onAssigned: () => undefined,
    onTerminated: () => undefined,
    onUp: () => undefined,
    onDown: () => undefined,
    onFault: () => undefined,
  });
  const limit = { timeout: 30_000 };
  try {
    worker.start();
    await expect.poll(() => messages.map((it) => it.case), limit).toContain('register');
    const job = { id: 'AJ_1', room: { name: 'call-1', sid: 'RM_1' } };
    send({ message: { case: 'availability', value: { job } } });
    await expect.poll(() => isRequested, limit).toBe(true);
    const answers = () => messages.flatMap((it) => (it.case === 'availability' ? it.value : []));
    clock.advance(1_900);
    expect(answers()).toEqual([]);
    clock.advance(100);
    await expect.poll(() => answers(), limit).toHaveLength(1);
    expect(answers()).toMatchObject([{ jobId: 'AJ_1', available: false, terminate: false }]);
  } finally {
    worker.close();
    server.close();
    socket?.terminate();
  }
});
