import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { parseClientMessage } from '../../../agents-runtime/transports/websocket/protocol.js';
import { type BrowserSocket, CallSocketClient } from '../../../src/web/call/call-client.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A client for a server whose sockets the test controls. */
async function setUp(giveUpMs = 20_000) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets: ReturnType<typeof meet>[] = [];
  server.on('connection', (socket) => sockets.push(meet(socket)));
  const seen: string[] = [];
  const link = new CallSocketClient({
    token: 'the-token',
    retryMs: 20,
    giveUpMs,
    open: (protocol) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}`, protocol);
      socket.on('error', () => undefined); // in a browser this error is ignored; `close` follows
      return socket as unknown as BrowserSocket;
    },
    listener: {
      onReady: ({ positionMs }) => seen.push(`ready at ${positionMs}`),
      onAudio: (frame) => seen.push(`${frame.byteLength} bytes`),
      onMessage: ({ type }) => seen.push(type),
      onAway: () => seen.push('away'),
      onEnd: (end) => seen.push(Object.values(end).join(': ')),
    },
  });
  closers.push(() => link.finish({ type: 'lost' }));
  closers.push(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const nextSocket = async () => {
    await until(() => sockets.length > 0);
    return sockets.shift()!;
  };
  return { server, link, seen, nextSocket };
}

/** The server's side of one socket; the first frame is the hello. */
async function meet(socket: WebSocket) {
  const frames: (string | number)[] = [];
  const [first] = (await once(socket, 'message')) as [Buffer];
  socket.on('message', (data: Buffer, isBinary) =>
    frames.push(isBinary ? data.length : data.toString()),
  );
  const say = (message: object) => socket.send(JSON.stringify(message));
  const ready = (positionMs: number, seq: number) =>
    say({
      type: 'ready',
      callId: 'c',
      resumeToken: 'c.secret',
      positionMs,
      audio: { up: 'pcm', upSampleRate: 16_000, down: 'pcm', downSampleRate: 24_000 },
      seq,
    });
  return { socket, hello: parseClientMessage(first.toString()), frames, say, ready };
}

const FRAME = new ArrayBuffer(640);
const until = (holds: () => boolean) => expect.poll(holds, { timeout: 20_000 }).toBe(true);

describe('CallSocketClient', () => {
  it('sends a hello with its token, and audio once the server is ready', async () => {
    const { link, seen, nextSocket } = await setUp();
    link.start();
    link.sendAudio(FRAME);
    const { hello, frames, ready, say, socket } = await nextSocket();
    expect(hello).toMatchObject({ type: 'hello', token: 'the-token' });
    expect(socket.protocol).toBe('parley.call.v1');
    ready(0, 1);
    say({ type: 'state', state: 'listening', seq: 2 });
    await until(() => seen.includes('state'));
    link.sendAudio(FRAME);
    expect(link.sendText('hi')).toBe(true);
    await until(() => frames.length === 2);
    expect(frames).toEqual([640, '{"type":"text","text":"hi"}']);
    say({ type: 'end', reason: 'agent_hangup', seq: 3 });
    await until(() => seen.includes('ended: agent_hangup'));
    expect(seen).toEqual(['ready at 0', 'state', 'ended: agent_hangup']);
  });

  it("resumes the call after a lost connection, and buffers the caller's audio meanwhile", async () => {
    const { link, seen, nextSocket } = await setUp();
    link.start();
    const first = await nextSocket();
    first.ready(0, 1);
    first.say({ type: 'state', state: 'speaking', seq: 2 });
    first.socket.send(Buffer.alloc(960));
    await until(() => seen.includes('960 bytes'));
    link.sendPlayed(15);
    first.socket.terminate();
    await until(() => seen.includes('away'));
    expect(link.sendText('lost')).toBe(false);
    for (let i = 0; i < 3; i++) link.sendAudio(FRAME);
    const second = await nextSocket();
    expect(second.hello).toMatchObject({ resumeToken: 'c.secret', receivedMs: 20, lastSeq: 2 });
    second.ready(40, 7);
    second.say({ type: 'transcript', seq: 3 });
    second.socket.send(Buffer.alloc(960));
    await until(() => second.frames.length === 4);
    expect(second.frames).toEqual(['{"type":"playout","playedMs":15}', 640, 640, 640]);
    await until(() => seen.filter((what) => what === '960 bytes').length === 2);
    second.socket.terminate();
    const third = await nextSocket();
    expect(third.hello).toMatchObject({ receivedMs: 60, lastSeq: 3 });
  });

  it('buffers at most the latest ten seconds of audio', async () => {
    const { link, seen, nextSocket } = await setUp();
    link.start();
    const first = await nextSocket();
    first.ready(0, 1);
    await until(() => seen.includes('ready at 0'));
    first.socket.terminate();
    await until(() => seen.includes('away'));
    for (let i = 1; i <= 600; i++) link.sendAudio(new ArrayBuffer(2 * i));
    const second = await nextSocket();
    second.ready(0, 2);
    await until(() => second.frames.length === 501);
    expect([second.frames[1], second.frames.at(-1)]).toEqual([202, 1200]);
  });

  it('gives up if no server answers for too long', async () => {
    const { server, link, seen, nextSocket } = await setUp(2_000);
    link.start();
    const first = await nextSocket();
    first.ready(0, 1);
    await until(() => seen.includes('ready at 0'));
    for (const client of server.clients) client.terminate();
    server.close();
    await until(() => seen.includes('lost'));
    expect(seen).toEqual(['ready at 0', 'away', 'lost']);
  });

  it('does not retry if the server refuses', async () => {
    const { link, seen, nextSocket } = await setUp();
    link.start();
    const { socket } = await nextSocket();
    socket.close(1008, 'the token is wrong or has expired');
    await until(() => seen.length > 0);
    expect(seen).toEqual(['refused: the token is wrong or has expired']);
  });
});
