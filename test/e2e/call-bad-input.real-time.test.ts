import { setTimeout as sleep } from 'node:timers/promises';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { SUBPROTOCOL } from '../../agents-runtime/transports/websocket/protocol.js';
import { SecretKeys } from '../../src/platform/secrets/secret-keys.js';
import {
  ask,
  endedCall,
  makeAgent,
  refusal,
  requestConnection,
  SHOP,
  StoredCalls,
} from '../support/harness/call/call-agents.js';
import { CallClient, type ConnectionDetails } from '../support/harness/call/call-client.js';
import { type Product, startProduct } from '../support/harness/process/product.js';

const SECRET = 'a secret of the tests that is long enough';
const SLOTS = 40;
const FRAME = 640;

let product: Product;
let stored: StoredCalls;
let agentId: string;
/** Clients of all calls, including failed attempts. */
const clients: CallClient[] = [];

beforeAll(async () => {
  product = await startProduct({
    env: { SECRET_KEY: SECRET, CONCURRENT_CALLS: String(SLOTS), REQUESTS_PER_MINUTE: '0' },
  });
  stored = new StoredCalls(product);
  // A timeout of 0 disables the inactivity prompts, which a slow machine could trigger.
  agentId = await makeAgent(product, { ...SHOP, greeting: '', user_silence_timeout: 0 });
});
afterAll(async () => {
  await stored?.close();
  await product?.stop();
});

/** Opens a socket, sends frames and returns how the server closed it. */
async function closing(url: string, frames: readonly (string | Buffer)[]) {
  const socket = new WebSocket(url, [SUBPROTOCOL]);
  const texts: string[] = [];
  socket.on('message', (data, isBinary) => !isBinary && texts.push(data.toString()));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  for (const frame of frames) socket.send(frame);
  return { ...(await closed), texts };
}

async function call(): Promise<{ client: CallClient; details: ConnectionDetails }> {
  const details = await requestConnection(product, agentId);
  const client = clientOf(details);
  await client.connect();
  return { client, details };
}

function clientOf(...parts: ConstructorParameters<typeof CallClient>): CallClient {
  const client = new CallClient(...parts);
  clients.push(client);
  return client;
}

const hello = (token: string) => JSON.stringify({ type: 'hello', token });

describe('connection details', () => {
  it('are refused with a reason and take no slot', async () => {
    expect(await refusal(product, { agent_id: 'nobody' })).toEqual({
      status: 404,
      code: 'AGENT_NOT_FOUND',
    });
    const paused = await makeAgent(product, SHOP);
    await ask(product, 'POST', `/agent/${paused}/pause`);
    const refused = { status: 403, code: 'CALL_VALIDATION_FAILED', reason: 'agent_not_deployed' };
    expect(await refusal(product, { agent_id: paused })).toEqual(refused);
    const test = await ask(product, 'POST', '/connection/test-connection-details', {
      agent_id: paused,
    });
    expect(test.status).toBe(200);
    await ask(product, 'POST', `/agent/${paused}/disable`);
    expect(await refusal(product, { agent_id: paused })).toEqual(refused);
    for (const wrong of [
      {},
      { agent_id: 7 },
      { agent_id: agentId, agent_overrides: { prompt: 'x' } },
    ]) {
      expect((await refusal(product, wrong)).status).toBe(422);
    }
    const ended = await ask(product, 'POST', `/calls/${test.body.call_id}/end`);
    expect(ended.status).toBe(200);
  });

  it('never exceed the slots, for any number of concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: SLOTS + 20 }, () =>
        ask(product, 'POST', '/connection/connection-details', { agent_id: agentId }),
      ),
    );
    const admitted = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    const ended = await Promise.all(
      admitted.map(({ body }) =>
        fetch(`${product.url}/api/v1/calls/${body.call_id}/end`, {
          method: 'POST',
          headers: { authorization: `Bearer ${body.end_token}` },
        }),
      ),
    );
    expect(admitted.length).toBe(SLOTS);
    for (const { body } of refused) expect(body).toMatchObject({ reason: 'concurrency_limit' });
    expect(ended.every(({ status }) => status === 200)).toBe(true);
    expect((await requestConnection(product, agentId)).call_id).toBeTruthy();
  });
});

describe('input after hello', () => {
  const typed = JSON.stringify({ type: 'text', text: 'Are you there?' });

  it('is buffered until the call starts', async () => {
    const { server_url, participant_token } = await requestConnection(product, agentId);
    const frames = [hello(participant_token), typed, JSON.stringify({ type: 'end' })];
    const { code, texts } = await closing(server_url, frames);
    const types = texts.map((text) => JSON.parse(text).type);
    expect(types[0]).toBe('ready');
    expect(texts.some((text) => text.includes('"text":"Are you there?"'))).toBe(true);
    expect(types.at(-1)).toBe('end');
    expect(code).toBe(1000);
  });

  it('is limited', async () => {
    const { server_url, participant_token } = await requestConnection(product, agentId);
    const frames = [hello(participant_token), Buffer.alloc(60_000), Buffer.alloc(10_000)];
    const { code, reason } = await closing(server_url, frames);
    expect({ code, reason }).toEqual({ code: 1008, reason: 'too much came before ready' });
  });
});

describe('invalid start of a socket', () => {
  it('is refused for a token that is malformed, expired, of another purpose or of another call', async () => {
    const [details, other] = [
      await requestConnection(product, agentId),
      await requestConnection(product, agentId),
    ];
    const key = new SecretKeys([SECRET]).derive('call-tokens')[0].bytes;
    const sign = (expiry: number) =>
      new SignJWT({ use: 'join' })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(details.call_id)
        .setExpirationTime(expiry)
        .sign(key);
    const nowS = Math.floor(Date.now() / 1000);
    const tokens = [
      '',
      'not.a.token',
      details.end_token,
      other.participant_token,
      await sign(nowS - 1),
      `${details.participant_token.slice(0, -4)}AAAA`,
    ];
    for (const token of tokens) {
      const { code, reason } = await closing(details.server_url, [hello(token)]);
      expect({ code, reason }).toEqual({ code: 1008, reason: 'the token is wrong or has expired' });
    }
    // Signed in the same way, but not expired.
    const client = clientOf({ ...details, participant_token: await sign(nowS + 60) });
    await client.connect();
    client.hangUp();
    await client.closed();
  });

  it('closes the socket with an error code, and the token remains valid for one use', async () => {
    const details = await requestConnection(product, agentId);
    const token = details.participant_token;
    const wrong: readonly (readonly [string | Buffer, number, RegExp])[] = [
      [Buffer.alloc(FRAME), 1007, /hello comes before audio/],
      ['{{{', 1007, /not valid JSON/],
      ['{"type":"hello","receivedMs":NaN}', 1007, /not valid JSON/],
      ['{"type":"hello","receivedMs":1e999}', 1007, /receivedMs/],
      ['{"type":"playout","playedMs":1}', 1007, /first message is hello/],
      ['"hello"', 1007, /./],
      ['{"type":"hello","audio":{"up":"mp3"}}', 1007, /audio.up/],
      [JSON.stringify({ type: 'hello', token: 'x'.repeat(5_000) }), 1007, /token/],
      [' '.repeat(20_000), 1007, /characters/],
      [Buffer.alloc(1_048_576), 1009, /./],
      ['x'.repeat(1_048_576), 1009, /./],
      ['{"type":"hello","resumeToken":"abc.def"}', 1008, /taken up again/],
      [`{"type":"hello","resumeToken":"${details.call_id}.guess"}`, 1008, /taken up again/],
    ];
    const silence = closing(details.server_url, []);
    for (const [frame, wanted, why] of wrong) {
      const { code, reason } = await closing(details.server_url, [frame]);
      expect({ code, frame: frame.slice(0, 60).toString() }).toMatchObject({ code: wanted });
      if (wanted !== 1009) expect(reason).toMatch(why);
    }
    expect(await silence).toMatchObject({ code: 1008, reason: 'hello did not come' });

    const client = clientOf(details);
    await client.connect();
    // The token is used again, by a second socket during the call and after it.
    const replayed = await closing(details.server_url, [hello(token)]);
    expect(replayed).toMatchObject({ code: 1008, reason: expect.stringMatching(/has been used/) });
    client.type('Do you deliver?');
    await client.final('agent');
    client.hangUp();
    await client.closed();
    await endedCall(product, details.call_id);
    await expect(closing(details.server_url, [hello(token)])).rejects.toThrow(/401/);
    client.close();
  });
});

describe.concurrent('running call', () => {
  // The slowest test first.
  it('is closed when its client stops reading', async () => {
    const { client, details } = await call();
    client.type('Who teaches the class about orchids?');
    await client.state('speaking');
    client.stopReading();
    await sleep(15_000);
    const row = await endedCall(product, details.call_id);
    expect(row.ended_reason).toBe('error_transport');
    client.close();
  });

  it('reports each protocol violation, closes the socket, and ends if no client reconnects', async () => {
    const wrong: readonly (readonly [string | Buffer, RegExp])[] = [
      [hello('again'), /hello comes once/],
      ['{{{', /not valid JSON/],
      ['{"type":"playout","playedMs":NaN}', /not valid JSON/],
      ['{"type":"playout","playedMs":1e999}', /playedMs/],
      ['{"type":"playout","playedMs":-1}', /playedMs/],
      ['{"type":"text","text":"   "}', /text/],
      [JSON.stringify({ type: 'text', text: 'x'.repeat(2_001) }), /text/],
      ['{"type":"dance"}', /./],
      ['null', /./],
      [Buffer.alloc(FRAME + 1), /whole samples/],
    ];
    const ended = wrong.map(async ([frame, why]) => {
      const { client, details } = await call();
      client.send(frame);
      const { code, message } = await client.waitFor('error');
      expect(code).toBe('PROTOCOL');
      expect(message).toMatch(why);
      expect(await client.closed()).toBe(1007);
      client.close();
      return endedCall(product, details.call_id);
    });
    const large = (async () => {
      const { client, details } = await call();
      client.send(Buffer.alloc(1_048_576));
      expect(await client.closed()).toBe(1009);
      client.close();
      return endedCall(product, details.call_id);
    })();
    for (const row of await Promise.all([...ended, large])) {
      expect(row.ended_reason).toBe('error_transport');
    }
  });

  it('resumes on a socket that follows the protocol', async () => {
    const { client } = await call();
    client.send('{{{');
    await client.closed();
    await client.resume();
    client.type('Do you deliver within the city?');
    expect((await client.final('agent')).text).toMatch(/five dollars/);
    client.hangUp();
    await client.closed();
    client.close();
  });

  it('continues on a second socket and notifies the first one', async () => {
    const { client, details } = await call();
    const { resumeToken } = await client.waitFor('ready');
    await client.state('listening');
    const second = closing(details.server_url, [
      JSON.stringify({ type: 'hello', resumeToken, lastSeq: client.lastSeq }),
      '{"type":"end"}',
    ]);
    expect(await client.closed()).toBe(4409);
    const { code, texts } = await second;
    expect(code).toBe(1000);
    const refusals = texts.map((text) => JSON.parse(text) as { type: string });
    expect(refusals.map(({ type }) => type)).toEqual(['ready', 'end']);
    client.close();
  });

  it('rejects invalid Opus and limits text messages', async () => {
    const details = await requestConnection(product, agentId);
    const opus = clientOf(details, { audio: { up: 'opus' } });
    await opus.connect();
    for (let i = 0; i < 20; i++) opus.send(Buffer.from([0xff, 0xff, i, 255 - i, 3]));
    expect((await opus.waitFor('error')).message).toMatch(/Opus/);
    expect(await opus.closed()).toBe(1007);
    opus.close();
    const { client } = await call();
    for (let i = 0; i < 21; i++) client.type(`Question ${i}?`);
    expect((await client.waitFor('error')).message).toMatch(/20 texts/);
    expect(await client.closed()).toBe(1007);
    client.close();
  });

  it('accepts audio at ten times real time and a minute of silence, and still answers', async () => {
    const { client } = await call();
    client.mute(true);
    const second = Buffer.alloc(32_000);
    for (let i = 0; i < 60; i++) {
      client.send(second);
      await sleep(100);
    }
    expect(client.states).toEqual(['listening']);
    client.type('Do you deliver within the city?');
    expect((await client.final('agent')).text).toMatch(/five dollars/);
    expect(client.closeCode).toBeUndefined();
    client.hangUp();
    await client.closed();
    client.close();
  });

  it('survives noise, clicks and single samples', async () => {
    const { client } = await call();
    client.mute(true);
    const noise = Buffer.from(Uint8Array.from({ length: 60_000 }, (_, i) => (i * 7919) % 251));
    for (let i = 0; i < 20; i++) client.send(noise);
    for (let i = 0; i < 2_000; i++) client.send(Buffer.alloc(2, i));
    client.send(Buffer.alloc(0));
    client.mute(false);
    client.type('Do you deliver within the city?');
    await client.final('agent');
    client.hangUp();
    expect(await client.closed()).toBe(1000);
    client.close();
  });
});

it('all calls have ended without faults, and the gateway is ready and stops gracefully', async () => {
  for (const client of clients) client.close();
  await expect.poll(() => stored.live(), { timeout: 60_000 }).toBe(0);
  expect((await fetch(`${product.url}/readyz`)).status).toBe(200);
  const lines = product
    .logs()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  const levels = lines.map((line) => JSON.parse(line) as { level: string });
  expect(levels.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  await stored.close();
  expect(await product.stop()).toBe(0);
});
