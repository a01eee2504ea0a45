import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ServerMessage, WorkerMessage, WorkerStatus } from '@livekit/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { makeTestFolder } from '../../support/harness/process/test-folder.js';

const MODULE = new URL(
  '../../../agents-runtime/transports/livekit/dispatch-thread.js',
  import.meta.url,
).href;
/** Longer than a main thread may be silent, in milliseconds. */
const HANGS_MS = 6_000;
const WITHIN = { timeout: 30_000, interval: 20 };

let server: WebSocketServer;
let socket: WebSocket;
let gateway: ChildProcess;
let received: WorkerMessage['message'][];
let said: string;
let folder: string;

beforeEach(async () => {
  folder = makeTestFolder();
  [received, said] = [[], ''];
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  server.on('connection', (connected) => {
    socket = connected;
    connected.on('message', (data: Buffer) => {
      const { message } = WorkerMessage.fromBinary(data);
      received.push(message);
      if (message.case === 'register') send({ case: 'register', value: { workerId: 'AW_1' } });
    });
  });
  gateway = startGateway();
  gateway.stdout?.on('data', (text) => {
    said += text;
  });
});

afterEach(() => {
  gateway.kill('SIGKILL');
  rmSync(folder, { recursive: true });
  for (const client of server.clients) client.terminate();
  server.close();
});

/** A gateway that accepts every job, and whose main thread hangs for `HANGS_MS` on input. */
function startGateway(): ChildProcess {
  const { port } = server.address() as AddressInfo;
  const script = `const { DispatchThread } = await import(${JSON.stringify(MODULE)});
    const worker = new DispatchThread({
      url: 'ws://127.0.0.1:${port}',
      agentName: 'parley',
      token: async () => 'token',
      state: () => ({ isFull: false, load: 0, jobs: 0 }),
      onAsked: async () => ({ type: 'yes', identity: 'agent', name: 'Agent' }),
      onAssigned: () => undefined,
      onTerminated: () => undefined,
      onUp: () => undefined,
      onDown: () => undefined,
      onFault: (error) => console.error(error),
    });
    worker.start();
    process.stdin.once('data', () => {
      console.log('hangs');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${HANGS_MS});
    });`;
  // A file, because threads inherit the options of a script on the command line.
  const file = join(folder, 'gateway.mjs');
  writeFileSync(file, script);
  return spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
}

function send(message: NonNullable<ConstructorParameters<typeof ServerMessage>[0]>['message']) {
  socket.send(new ServerMessage({ message }).toBinary());
}

const statuses = () =>
  received.flatMap((message) => (message.case === 'updateWorker' ? [message.value.status] : []));

async function requestJob(id: string): Promise<boolean> {
  send({ case: 'availability', value: { job: { id, room: { name: id, sid: id } } } });
  const answers = () =>
    received.flatMap((message) => (message.case === 'availability' ? message.value : []));
  await expect.poll(() => answers().some(({ jobId }) => jobId === id), WITHIN).toBe(true);
  const answer = answers().find(({ jobId }) => jobId === id)!;
  expect(answer.terminate).toBe(false); // LiveKit may try another gateway
  return answer.available;
}

it('a gateway whose main thread hangs is full and refuses jobs', async () => {
  await expect.poll(() => statuses().at(-1), WITHIN).toBe(WorkerStatus.WS_AVAILABLE);
  expect(await requestJob('before')).toBe(true);
  gateway.stdin?.write('\n');
  await expect.poll(() => said, WITHIN).toContain('hangs');
  await expect.poll(() => statuses().at(-1), WITHIN).toBe(WorkerStatus.WS_FULL);
  expect(await requestJob('meanwhile')).toBe(false);
  await expect.poll(() => statuses().at(-1), WITHIN).toBe(WorkerStatus.WS_AVAILABLE);
  expect(await requestJob('after')).toBe(true);
}, 60_000);
