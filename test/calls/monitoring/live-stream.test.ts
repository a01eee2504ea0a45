import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import { AudioMixer } from '../../../src/calls/monitoring/audio-mixer.js';
import { GatewaysRepository } from '../../../src/platform/cluster/gateways.repository.js';
import type { Scope } from '../../../src/platform/http/scopes.js';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';
import { tone } from '../../support/harness/audio/tones.js';
import { EventReader } from '../../support/harness/call/event-stream-client.js';
import { LiveGateway } from './live-gateway.js';

let one: LiveGateway;
let two: LiveGateway;

/** The app belongs to the first gateway. */
const plane = withControlPlane({
  routes: (db) => {
    const authenticator = {
      authenticate: (bearer: string) => plane.authenticator.authenticate(bearer),
    };
    one = new LiveGateway(db, authenticator);
    two = new LiveGateway(db, authenticator);
    return one.routes;
  },
});
beforeAll(async () => {
  await one.start();
  await two.start();
});
afterAll(async () => {
  await one.stop();
  await two.stop();
});

const readers: EventReader[] = [];
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});

async function account(scopes: readonly Scope[] = ['calls']) {
  const accountId = await plane.makeAccount();
  const key = await plane.makeKey(accountId, scopes);
  const ask = plane.askAs(key);
  const watch = async (path: string, headers: Record<string, string> = {}) => {
    const reader = await EventReader.open(`${plane.url}/api/v1${path}`, { key, headers });
    readers.push(reader);
    return reader;
  };
  return { accountId, key, ask, watch };
}

const says = (text: string, final = false) =>
  ({
    type: 'transcript',
    segment: 'u1',
    role: 'user',
    text,
    final,
    startMs: 0.4,
    endMs: 9.6,
  }) as const;

describe.each(['here', 'on another gateway'])('live stream of a call %s', (where) => {
  const holder = () => (where === 'here' ? one : two);

  it('starts with the previous turns and ends with the call', async () => {
    const { accountId, watch } = await account();
    const call = await holder().hold(accountId);
    await holder().turn(call, 0, 'said before');
    const reader = await watch(`/calls/${call.callId}/live`);
    expect(reader.status).toBe(200);
    await reader.waitFor('turn');
    call.feed.send({ type: 'state', state: 'thinking' });
    call.feed.send(says('what'));
    call.feed.send(says('what time', true));
    await holder().turn(call, 1, 'what time');
    await holder().end(call);
    await reader.waitFor('closed');
    await reader.until(() => reader.isOver);
    const about = { call_id: call.callId };
    expect(reader.events.map(({ type, data, id }) => [type, id, data])).toEqual([
      ['call', undefined, expect.objectContaining({ ...about, state: 'initializing' })],
      ['turn', '0', expect.objectContaining({ ...about, index: 0, text: 'said before' })],
      ['state', undefined, { ...about, state: 'thinking' }],
      [
        'transcript',
        undefined,
        expect.objectContaining({
          ...about,
          text: 'what',
          final: false,
          start_ms: 0,
          end_ms: 10,
        }),
      ],
      ['transcript', undefined, expect.objectContaining({ text: 'what time', final: true })],
      ['turn', '1', expect.objectContaining({ text: 'what time', cut: false })],
      // The newest turn is repeated with the end, because it may have changed.
      ['turn', '1', expect.objectContaining({ text: 'what time' })],
      ['ended', undefined, { ...about, reason: 'user_hangup' }],
      ['closed', undefined, { reason: 'call_ended' }],
    ]);
  });

  it("resumes at the client's last event", async () => {
    const { accountId, watch } = await account();
    const call = await holder().hold(accountId);
    for (const index of [0, 1, 2]) await holder().turn(call, index, `turn ${index}`);
    const reader = await watch(`/calls/${call.callId}/live`, { 'last-event-id': '1' });
    await reader.waitFor('turn', ({ index }) => index === 2);
    expect(reader.all('turn').map(({ index }) => index)).toEqual([1, 2]);
    await holder().end(call);
  });

  it('is part of the stream of its own account only, with its start and end', async () => {
    const [owner, otherAccount] = [await account(), await account()];
    const before = await holder().hold(owner.accountId);
    const reader = await owner.watch('/calls/live');
    const foreign = await otherAccount.watch('/calls/live');
    await reader.waitFor('call', ({ call_id }) => call_id === before.callId);
    const after = await holder().hold(owner.accountId);
    after.feed.send({ type: 'state', state: 'listening' });
    await reader.waitFor('state', ({ call_id }) => call_id === after.callId);
    await holder().end(before);
    await reader.waitFor('ended', ({ call_id }) => call_id === before.callId);
    const own = await holder().hold(otherAccount.accountId);
    await foreign.waitFor('call');
    expect(foreign.all('call').map(({ call_id }) => call_id)).toEqual([own.callId]);
    expect(foreign.all('ended')).toEqual([]);
    expect(reader.all('call')).toHaveLength(2);
  });

  it("speaks an operator's text, or explains why not", async () => {
    const { accountId, ask } = await account();
    const { callId } = await holder().hold(accountId);
    const say = (text: unknown) => ask('POST', `/calls/${callId}/say`, { text });
    const words = `please hold ${where}`;
    const answer = await say(words);
    expect([answer.status, answer.body]).toEqual([200, { call_id: callId, status: 'queued' }]);
    expect(holder().spokenTexts).toContain(words);
    for (const [text, code] of [
      ['ending', 'CALL_ENDING'],
      ['busy', 'CALL_BUSY'],
    ]) {
      const refused = await say(text);
      expect([refused.status, refused.body.code]).toEqual([409, code]);
    }
    for (const text of ['', ' \n', '…', 'x'.repeat(1_001), 'x'.repeat(10_000), undefined, 7]) {
      expect((await say(text)).status).toBe(422);
    }
  });

  it('sends DTMF and transfers calls if the transport supports it, or explains why not', async () => {
    const { accountId, ask } = await account();
    const done: string[] = [];
    const phone = (canTransfer: boolean, isOver = false, isRefused = false) => ({
      canTransfer,
      sendKeys: (keys: string) => !isOver && done.push(keys) > 0,
      transfer: async (target: string) => {
        if (isOver) return 'ending' as const;
        if (isRefused) return 'refused' as const;
        done.push(target);
        return 'done' as const;
      },
    });
    const target_phone_number = '+15550199';
    const keys = { keys: '42#' };
    const sendCommand = async (callId: string, what: string, body: object) => {
      const answer = await ask('POST', `/calls/${callId}/${what}`, body);
      return answer.body.code ?? answer.body.status ?? answer.status;
    };
    const statuses = async (callId: string) => [
      await sendCommand(callId, 'keys', keys),
      await sendCommand(callId, 'transfer', { target_phone_number }),
    ];
    const { callId } = await holder().hold(accountId, phone(true));
    expect(await statuses(callId)).toEqual(['done', 'done']);
    expect(done.splice(0)).toEqual(['42#', target_phone_number]);
    const refused = await ask('POST', `/calls/${callId}/transfer`, {
      target_phone_number: '+19005550123',
    });
    expect([refused.status, refused.body.reason]).toEqual([403, 'outbound_not_allowed']);
    const bad = [{ keys: '' }, { keys: '12 3' }, { keys: '1'.repeat(33) }, { keys: 7 }, {}];
    for (const body of bad) expect(await sendCommand(callId, 'keys', body)).toBe(422);
    for (const target of ['911', 'sip:a@b', '', null]) {
      expect(await sendCommand(callId, 'transfer', { target_phone_number: target })).toBe(422);
    }
    const over = await holder().hold(accountId, phone(true, true));
    expect(await statuses(over.callId)).toEqual(['CALL_ENDING', 'CALL_ENDING']);
    const unwanted = await holder().hold(accountId, phone(true, false, true));
    expect(await statuses(unwanted.callId)).toEqual(['done', 'PROVIDER_ERROR']);
    const plain = await holder().hold(accountId, phone(false));
    expect(await statuses(plain.callId)).toEqual(['done', 'CALL_CANNOT']);
    const web = await holder().hold(accountId);
    expect(await statuses(web.callId)).toEqual(['CALL_CANNOT', 'CALL_CANNOT']);
    expect(done).toEqual(['42#', '42#']);
  });
});

describe.each(['here', 'on another gateway'])('audio of a call %s', (where) => {
  const holder = () => (where === 'here' ? one : two);

  it('is an MP3 of both legs that ends with the call', async () => {
    const { accountId, key } = await account();
    const call = await holder().hold(accountId);
    const mixer = new AudioMixer(24_000, systemClock);
    call.feed.sound = mixer;
    let hasEnded = false;
    const talk = setInterval(() => {
      mixer.agent(Int16Array.from(tone(500, 24_000, 2_400), (sample) => sample * 32_767));
      mixer.caller(new Int16Array(1_600).fill(900));
    }, 100);
    const response = await fetch(`${plane.url}/api/v1/calls/${call.callId}/audio`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > 3_000 && !hasEnded) {
        hasEnded = true; // half a second is enough
        await holder().end(call);
      }
    }
    clearInterval(talk);
    const file = Buffer.concat(chunks);
    expect(file.readUInt16BE(0) & 0xffe0).toBe(0xffe0);
    await vi.waitFor(() => expect(one.open.countStreams(accountId)).toBe(0), 20_000);
  });

  it('can be cancelled at any time', async () => {
    const { accountId, key } = await account();
    const call = await holder().hold(accountId);
    call.feed.sound = new AudioMixer(24_000, systemClock);
    const abort = new AbortController();
    const response = await fetch(`${plane.url}/api/v1/calls/${call.callId}/audio`, {
      headers: { authorization: `Bearer ${key}` },
      signal: abort.signal,
    });
    expect(one.open.countStreams(accountId)).toBe(1);
    abort.abort();
    await response.arrayBuffer().catch(() => undefined);
    await vi.waitFor(() => expect(one.open.countStreams(accountId)).toBe(0), 20_000);
    await holder().end(call);
  });
});

it('without a stream, the response contains the running calls and their turns', async () => {
  const { accountId, ask } = await account();
  const call = await two.hold(accountId);
  await two.turn(call, 0, 'hello');
  const all = await ask('GET', '/calls/live');
  expect(all.body).toEqual({ calls: [expect.objectContaining({ call_id: call.callId })] });
  const { body } = await ask('GET', `/calls/${call.callId}/live`);
  expect(body.call.agent_name).toBe('Pool');
  expect(body.turns).toEqual([expect.objectContaining({ index: 0, text: 'hello' })]);
});

it('unknown, foreign and ended calls return distinct errors', async () => {
  const [owner, otherAccount] = [await account(), await account()];
  const call = await one.hold(owner.accountId);
  const asks = [
    ['GET', 'live', undefined],
    ['GET', 'audio', undefined],
    ['POST', 'say', { text: 'Hello.' }],
    ['POST', 'keys', { keys: '1' }],
    ['POST', 'transfer', { target_phone_number: '+15550199' }],
  ] as const;
  for (const [method, what, body] of asks) {
    const status = async (ask: typeof owner.ask, callId: string) => {
      const answer = await ask(method, `/calls/${callId}/${what}`, body);
      return [answer.status, answer.body.code];
    };
    for (const callId of [randomUUID(), 'nonsense']) {
      expect(await status(owner.ask, callId)).toEqual([404, 'CALL_NOT_FOUND']);
    }
    expect(await status(otherAccount.ask, call.callId)).toEqual([404, 'CALL_NOT_FOUND']);
  }
  await one.end(call);
  for (const [method, what, body] of asks) {
    const { status, body: said } = await owner.ask(method, `/calls/${call.callId}/${what}`, body);
    expect([status, said.code]).toEqual([409, 'CALL_NOT_RUNNING']);
  }
});

it('the scope is required', async () => {
  const { accountId, watch, ask } = await account(['agents', 'analytics', 'calls:start']);
  const { callId } = await one.hold(accountId);
  for (const path of ['/calls/live', `/calls/${callId}/live`, `/calls/${callId}/audio`]) {
    expect((await watch(path)).status).toBe(403);
  }
  expect((await ask('POST', `/calls/${callId}/say`, { text: 'Hello.' })).status).toBe(403);
});

it('a client that does not read is disconnected and delays no others', async () => {
  const { accountId, key, watch } = await account();
  const call = await one.hold(accountId);
  const path = `/calls/${call.callId}/live`;
  const idle = await EventReader.openIdle(`${plane.url}/api/v1${path}`, { key });
  readers.push(idle);
  const reader = await watch('/calls/live');
  await reader.waitFor('call');
  const text = 'x'.repeat(8_000);
  await vi.waitFor(
    () => {
      for (let i = 0; i < 20; i++) call.feed.send(says(text));
      // The other client keeps receiving.
      expect(one.open.countStreams(accountId)).toBe(1);
    },
    { timeout: 30_000, interval: 20 },
  );
  call.feed.send({ type: 'state', state: 'speaking' });
  await reader.waitFor('state');
  expect(reader.all('closed')).toEqual([]);
});

it('a stream ends when its key is revoked', async () => {
  const { accountId, watch } = await account();
  const reader = await watch('/calls/live');
  await reader.until(() => reader.beats > 0);
  await plane.database.db('api_keys').where({ account_id: accountId }).update({ is_active: false });
  plane.authenticator.forget();
  expect((await reader.waitFor('closed')).data).toEqual({ reason: 'key_revoked' });
  await reader.until(() => reader.isOver);
});

it.each(['here', 'on another gateway'])(
  'a listener of a call %s is disconnected when the key loses the scope',
  async (where) => {
    const { accountId, key } = await account();
    const call = await (where === 'here' ? one : two).hold(accountId);
    call.feed.sound = new AudioMixer(24_000, systemClock);
    const response = await fetch(`${plane.url}/api/v1/calls/${call.callId}/audio`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(response.status).toBe(200);
    const keys = plane.database.db('api_keys').where({ account_id: accountId });
    await keys.update({ scopes: ['agents'] });
    // The response ends although the call continues.
    await response.arrayBuffer();
    await vi.waitFor(() => expect(one.open.countStreams(accountId)).toBe(0), 20_000);
  },
);

it('the number of streams per account is limited', async () => {
  const { ask, watch } = await account();
  const opened = await Promise.all(Array.from({ length: 50 }, () => watch('/calls/live')));
  expect(opened.every(({ status }) => status === 200)).toBe(true);
  const refused = await ask('GET', '/calls/live', undefined, { accept: 'text/event-stream' });
  expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
  opened[0]!.close();
  await vi.waitFor(async () => expect((await watch('/calls/live')).status).toBe(200), 20_000);
});

describe('gateway that dies while its calls are watched', () => {
  it('is reported once as the end of its calls, when its death is detected', async () => {
    const { accountId, watch } = await account();
    const dying = new LiveGateway(plane.database.db, plane.authenticator);
    await dying.start();
    const call = await dying.hold(accountId);
    const alone = await watch(`/calls/${call.callId}/live`);
    const all = await watch('/calls/live');
    await alone.waitFor('call');
    await all.waitFor('call');
    await dying.stop();
    await one.calls.endAllOf(dying.id, 'error_transport');
    await one.gateways.remove(dying.id);
    for (const reader of [alone, all]) {
      const { data } = await reader.waitFor('ended');
      expect(data).toEqual({ call_id: call.callId, reason: 'error_transport' });
    }
    await alone.until(() => alone.isOver);
    await all.until(() => all.beats > 5);
    expect(all.all('ended')).toHaveLength(1);
  });

  it('that turns out to be alive continues its streams without missing events', async () => {
    const { accountId, watch } = await account();
    const call = await two.hold(accountId);
    const reader = await watch(`/calls/${call.callId}/live`);
    await reader.waitFor('call');
    await two.restart();
    await two.turn(call, 0, 'said meanwhile');
    await reader.waitFor('turn');
    call.feed.send(says('and on'));
    await reader.waitFor('transcript');
    await two.end(call);
    await reader.waitFor('closed');
    expect(reader.all('ended')).toHaveLength(1);
  });
});

it('an unreachable gateway is reported as such', async () => {
  const { accountId, ask, watch } = await account();
  const call = await two.hold(accountId);
  const id = randomUUID();
  await one.gateways.heartbeat(id, '127.0.0.1:9'); // no server listens there
  await plane.database.db('calls').where({ call_id: call.callId }).update({ gateway_id: id });
  const audioResponse = await ask('GET', `/calls/${call.callId}/audio`);
  expect([audioResponse.status, audioResponse.body.code]).toEqual([503, 'GATEWAY_UNREACHABLE']);
  for (const [what, body] of [
    ['say', { text: 'Hello.' }],
    ['keys', { keys: '1' }],
    ['transfer', { target_phone_number: '+15550199' }],
  ] as const) {
    const answer = await ask('POST', `/calls/${call.callId}/${what}`, body);
    expect([answer.status, answer.body.code]).toEqual([503, 'GATEWAY_UNREACHABLE']);
  }
  const reader = await watch(`/calls/${call.callId}/live`);
  expect((await reader.waitFor('closed')).data).toEqual({ reason: 'gateway_unreachable' });
  await reader.until(() => reader.isOver);
  await one.gateways.remove(id);
});

it('a gateway rejects a peer with another secret', async () => {
  const { accountId } = await account();
  const other = new LiveGateway(
    plane.database.db,
    plane.authenticator,
    'the secret of somebody else',
  );
  await other.start();
  const call = await other.hold(accountId);
  const key = await plane.makeKey(accountId);
  const reader = await EventReader.open(`${plane.url}/api/v1/calls/live`, { key });
  readers.push(reader);
  const own = await one.hold(accountId);
  await reader.waitFor('call', ({ call_id }) => call_id === own.callId);
  await reader.until(() => reader.beats > 20);
  expect(reader.all('call').map(({ call_id }) => call_id)).toEqual([own.callId]);
  await other.end(call);
  await other.stop();
  await one.gateways.remove(other.id);
});

it('a gateway that stops closes its streams', async () => {
  const { watch } = await account();
  const reader = await watch('/calls/live');
  await one.close();
  expect((await reader.waitFor('closed')).data).toEqual({ reason: 'gateway_stopping' });
  await reader.until(() => reader.isOver);
});

it('gateways are looked up when one starts or stops, not every second', async () => {
  const { watch } = await account();
  const lookups = vi.spyOn(GatewaysRepository.prototype, 'others');
  try {
    await watch('/calls/live');
    await vi.waitFor(() => expect(lookups).toHaveBeenCalled(), { timeout: 20_000, interval: 20 });
    await plane.database.db.raw('select pg_sleep(2.5)');
    expect(lookups).toHaveBeenCalledTimes(1);
  } finally {
    lookups.mockRestore();
  }
});
