import { once } from 'node:events';
import { afterAll, expect, it, vi } from 'vitest';
import type { RawData, WebSocket } from 'ws';
import type { CallRow } from '../../../src/calls/store/call.model.js';
import { signTwilio } from '../../../src/channels/twilio/twilio-signature.js';
import { TWILIO } from '../../support/fakes/carrier.js';
import { startTwilio } from '../../support/fakes/carrier-servers.js';
import { addCall } from '../../support/fakes/twilio-calls.js';
import { ringingFields, streamUrl, withTwilioPlane } from '../../support/harness/app/twilio-app.js';

const VOICE = '/telephony/twilio/voice';
const twilio = await startTwilio();
let startMs = 60_000;
const plane = withTwilioPlane({ twilio, startTimeoutMs: () => startMs });
afterAll(() => twilio.close());
const waitFor = <T>(condition: () => T | Promise<T>) =>
  vi.waitFor(condition, { timeout: 30_000, interval: 20 });

let serial = 0;

/** Rings a number of a new agent and returns the response to Twilio. */
async function ringNumber() {
  const number = `+1415558${String(serial++).padStart(4, '0')}`;
  const ask = await plane.asNewAccount(number);
  const agent = { name: 'Pool', config: { phone_number: number } };
  const { agent_id } = (await ask('POST', '/agent', agent)).body;
  await ask('POST', `/agent/${agent_id}/deploy`);
  const call = ringingFields({ To: number });
  const atTwilio = addCall(twilio, call.CallSid!);
  const { text } = await plane.postForm(VOICE, call);
  const row = async () => {
    const [found] = await plane.database.db<CallRow>('calls').where({ to_number: number });
    return found!;
  };
  return { text, callSid: call.CallSid!, atTwilio, row };
}

const start = (callSid: string) => ({
  event: 'start',
  sequenceNumber: '1',
  streamSid: 'MZ01',
  start: {
    accountSid: TWILIO.accountSid,
    streamSid: 'MZ01',
    callSid,
    tracks: ['inbound'],
    mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8_000, channels: 1 },
    customParameters: {},
  },
});
const say = (socket: WebSocket, message: object) => socket.send(JSON.stringify(message));
const media = (frames: number) => ({
  event: 'media',
  streamSid: 'MZ01',
  media: {
    track: 'inbound',
    timestamp: '20',
    payload: Buffer.alloc(160 * frames, 0xff).toString('base64'),
  },
});

/** The media stream of a started call. */
async function startStream() {
  const ringingCall = await ringNumber();
  const socket = plane.openStream(ringingCall.text);
  const messages: { event: string }[] = [];
  socket.on('message', (data: RawData) => messages.push(JSON.parse(data.toString())));
  await once(socket, 'open');
  say(socket, { event: 'connected', protocol: 'Call', version: '1.0.0' });
  say(socket, start(ringingCall.callSid));
  const { call_id } = await ringingCall.row();
  const call = await waitFor(() => {
    const found = plane.startedCalls.find(({ callId }) => callId === call_id);
    expect(found?.inputs).toContain('connected');
    return found!;
  });
  return { ...ringingCall, socket, messages, call };
}

const reasonOf = (row: () => Promise<CallRow>) =>
  waitFor(async () => {
    const { ended_reason } = await row();
    expect(ended_reason).not.toBeNull();
    return ended_reason;
  });

/** The status of a refused upgrade. */
async function refusalOf(socket: WebSocket): Promise<number> {
  // The aborted handshake emits an error, which is expected.
  socket.on('error', () => undefined);
  const [, response] = await once(socket, 'unexpected-response');
  socket.terminate();
  return response.statusCode;
}

it('a media socket transfers audio in both directions, DTMF, marks and clear', async () => {
  const { socket, messages, call } = await startStream();
  // Compression of each message would cost more than it saves.
  expect(socket.extensions).toBe('');
  say(socket, media(50));
  say(socket, { event: 'dtmf', streamSid: 'MZ01', dtmf: { track: 'inbound_track', digit: '5' } });
  say(socket, { event: 'dtmf', streamSid: 'MZ01', dtmf: { track: 'inbound_track', digit: '#' } });
  await waitFor(() => expect(call.inputs.join()).toMatch(/typed .*5/));
  await waitFor(() => expect(call.samples).toBeGreaterThan(8_000));
  for (let i = 0; i < 20; i++) call.transport.sendAudio(new Float32Array(320).fill(0.25));
  await waitFor(() => expect(messages.map(({ event }) => event)).toContain('mark'));
  call.transport.clear();
  await waitFor(() => expect(messages.at(-1)?.event).toBe('clear'));
  const mediaMessages = messages.filter(({ event }) => event === 'media') as unknown as {
    media: { payload: string };
  }[];
  for (const { media: sound } of mediaMessages) {
    expect(Buffer.from(sound.payload, 'base64').length % 160).toBe(0);
  }
  socket.close();
});

it('a call ends when the caller sends stop or closes the socket', async () => {
  const stopped = await startStream();
  say(stopped.socket, { event: 'stop', streamSid: 'MZ01', stop: { callSid: stopped.callSid } });
  expect(await reasonOf(stopped.row)).toBe('user_hangup');
  const closed = await startStream();
  closed.socket.close();
  expect(await reasonOf(closed.row)).toBe('user_hangup');
  const broken = await startStream();
  broken.socket.terminate();
  expect(await reasonOf(broken.row)).toBe('error_transport');
});

it('a call ended by the agent ends at Twilio and closes the socket, with or without returned marks', async () => {
  const { socket, call, atTwilio, row } = await startStream();
  for (let i = 0; i < 20; i++) call.transport.sendAudio(new Float32Array(320).fill(0.25));
  const closed = once(socket, 'close');
  call.hangUp('agent_hangup');
  await waitFor(() => expect(atTwilio.status).toBe('completed'));
  const [code] = await closed;
  expect(code).toBe(1000);
  expect(await reasonOf(row)).toBe('agent_hangup');
});

it('a transfer leaves the socket open until Twilio has redirected the caller', async () => {
  const { socket, call, atTwilio, row } = await startStream();
  const closed = once(socket, 'close');
  expect(await call.transport.transfer('+14155550177')).toBe('done');
  await waitFor(() => expect(atTwilio.redirects).toHaveLength(1));
  expect(atTwilio.redirects[0]).toContain('<Dial><Number>+14155550177</Number></Dial>');
  await closed;
  expect(atTwilio.status).toBe('in-progress');
  expect(await reasonOf(row)).toBe('transferred');
});

it('a call continues if Twilio refuses the transfer', async () => {
  const { socket, call, atTwilio, row } = await startStream();
  atTwilio.refusesRedirects = true;
  expect(await call.transport.transfer('+14155550177')).toBe('refused');
  call.transport.sendAudio(new Float32Array(320).fill(0.25));
  const [sound] = (await once(socket, 'message')) as [RawData];
  expect(String(sound)).toContain('"event":"media"');
  expect((await row()).state).not.toBe('ended');
  atTwilio.refusesRedirects = false;
  expect(await call.transport.transfer('+14155550178')).toBe('done');
  expect(await reasonOf(row)).toBe('transferred');
});

it("a call ends on Twilio's status callback if the socket stays silent", async () => {
  const { callSid, row, socket } = await startStream();
  await plane.postForm(
    '/telephony/twilio/status',
    ringingFields({ CallSid: callSid, CallStatus: 'completed' }),
  );
  expect(await reasonOf(row)).toBe('user_hangup');
  socket.terminate();
});

it('a peer with invalid messages is hung up, also before the call has started', async () => {
  const { text, callSid, row } = await ringNumber();
  const socket = plane.openStream(text);
  await once(socket, 'open');
  const closed = once(socket, 'close');
  say(socket, start(callSid));
  for (let i = 0; i < 300; i++) socket.send('not JSON');
  await closed;
  expect(await reasonOf(row)).not.toBeNull();
});

it('a used token is refused', async () => {
  const { text, socket } = await startStream();
  expect(await refusalOf(plane.openStream(text))).toBe(403);
  socket.close();
});

it('two sockets with one token start one call', async () => {
  const { text, callSid, row } = await ringNumber();
  const sockets = [plane.openStream(text), plane.openStream(text)];
  await Promise.all(sockets.map((socket) => once(socket, 'open')));
  const closed = Promise.race(sockets.map((socket) => once(socket, 'close')));
  for (const socket of sockets) say(socket, start(callSid));
  await closed;
  const { call_id } = await row();
  await waitFor(() =>
    expect(plane.startedCalls.filter(({ callId }) => callId === call_id)).toHaveLength(1),
  );
  for (const socket of sockets) socket.terminate();
});

it('a missing or modified token is refused', async () => {
  const { text } = await ringNumber();
  expect(await refusalOf(plane.openStream(text.replace('/stream/', '/stream/x')))).toBe(401);
});

it('a present signature is verified', async () => {
  const { text } = await ringNumber();
  const url = streamUrl(text);
  const wrong = { 'x-twilio-signature': signTwilio('another', url) };
  expect(await refusalOf(plane.openStream(text, wrong))).toBe(403);
  const right = { 'x-twilio-signature': signTwilio(TWILIO.authToken, url) };
  const socket = plane.openStream(text, right);
  await once(socket, 'open');
  socket.terminate();
});

const OTHER_CODEC = { encoding: 'opus', sampleRate: 48_000, channels: 1 };

it.each([
  ['of another call', start('CA999'), /not that of this call/],
  [
    'in another codec',
    { ...start('CA999'), start: { ...start('CA999').start, mediaFormat: OTHER_CODEC } },
    /not μ-law/,
  ],
])('a stream %s is closed with a reason', async (_, message, sentence) => {
  const { text } = await ringNumber();
  const socket = plane.openStream(text);
  await once(socket, 'open');
  const closed = once(socket, 'close');
  say(socket, message);
  const [code, reason] = await closed;
  expect(code).toBe(1008);
  expect(String(reason)).toMatch(sentence);
});

it('a socket without a started stream is closed', async () => {
  const { text } = await ringNumber();
  startMs = 200;
  try {
    const socket = plane.openStream(text);
    const [code] = await once(socket, 'close');
    expect(code).toBe(1008);
  } finally {
    startMs = 60_000;
  }
});

it('messages without an effect are accepted, and one of 1 MB closes the socket', async () => {
  const { socket, call, row } = await startStream();
  for (const text of ['', 'x', '{}', '[]', '{"event":"bark"}']) socket.send(text);
  socket.send(Buffer.alloc(320));
  say(socket, media(50));
  await waitFor(() => expect(call.samples).toBeGreaterThan(8_000));
  const closed = once(socket, 'close');
  socket.send('x'.repeat(1024 * 1024));
  const [code] = await closed;
  expect(code).toBe(1009);
  expect(await reasonOf(row)).toBe('error_transport');
});
