import { afterEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import type { Clock } from '../../../../agents-runtime/contract/clock.js';
import { systemClock } from '../../../../agents-runtime/timing/system-clock.js';
import { isSignedByTwilio } from '../../../../src/channels/twilio/twilio-signature.js';
import { TwilioCall } from '../../../../tools/simulator/twilio/twilio-call.js';
import {
  type ScriptedGateway,
  startScriptedGateway,
} from '../../../support/fakes/scripted-gateway.js';
import { VirtualClock } from '../../../support/harness/audio/virtual-clock.js';

const TOKEN = 'test_auth_token';
const CONNECT = '<Response><Connect><Stream url="STREAM"/></Connect></Response>';
/** One frame of μ-law audio that is not silent. */
const FRAME = Buffer.alloc(160, 0x10).toString('base64');

const gateways: ScriptedGateway[] = [];
const calls: TwilioCall[] = [];
afterEach(() => {
  for (const call of calls.splice(0)) call.hangUp();
  for (const gateway of gateways.splice(0)) gateway.close();
});

async function callTo(
  answers: readonly string[],
  talk?: (socket: WebSocket, streamSid: string) => void,
  clock: Clock = systemClock,
) {
  const gateway = await startScriptedGateway(answers, talk);
  gateways.push(gateway);
  const call = new TwilioCall({
    clock,
    gatewayUrl: gateway.url,
    publicUrl: 'https://gw.example.test',
    accountSid: 'AC01',
    authToken: TOKEN,
    from: '+15550100',
    to: '+15550199',
  });
  calls.push(call);
  return { gateway, call };
}

const media = (streamSid: string, payload = FRAME) =>
  JSON.stringify({ event: 'media', streamSid, media: { payload } });
const mark = (streamSid: string, name: string) =>
  JSON.stringify({ event: 'mark', streamSid, mark: { name } });

describe('simulated Twilio call', () => {
  it('posts a signed form, opens a signed stream with the parameters of the response, and reports its end', async () => {
    const parameters =
      '<Parameter name="agentId" value="ag_1"/><Parameter name="b" value="x &amp; y"/>';
    const answer = `<Response><Connect><Stream url="STREAM" statusCallback="https://gw.example.test/stream-status">${parameters}</Stream></Connect></Response>`;
    const { gateway, call } = await callTo([answer]);
    expect(await call.ring()).toBe('answered');
    await call.leg.until(() => call.leg.atMs >= 100);
    call.press('5#');
    call.hangUp();
    expect(await call.ended).toEqual({ by: 'caller', how: 'hung up' });
    await expect.poll(() => gateway.received.at(-1)?.event).toBe('stop');

    const statuses = () => gateway.forms.map(({ form }) => form.StreamEvent ?? form.CallStatus);
    const all = ['completed', 'ringing', 'stream-started', 'stream-stopped'];
    await expect.poll(() => statuses().toSorted()).toEqual(all);
    const voice = gateway.forms[0]!;
    expect(voice.path).toBe('/telephony/twilio/voice');
    expect(voice.form).toMatchObject({
      CallSid: call.callSid,
      AccountSid: 'AC01',
      From: '+15550100',
      To: '+15550199',
      CallStatus: 'ringing',
      Direction: 'inbound',
    });
    for (const { path, headers, form } of gateway.forms) {
      const request = { url: `https://gw.example.test${path}`, fields: Object.entries(form) };
      expect(isSignedByTwilio(TOKEN, String(headers['x-twilio-signature']), request)).toBe(true);
    }
    expect(gateway.upgrades[0]?.['x-twilio-signature']).toMatch(/^[\w+/]{27}=$/);
    expect(gateway.upgrades[0]?.['sec-websocket-extensions']).toBeUndefined();

    const [connected, start, first, second] = gateway.received;
    expect(connected).toEqual({ event: 'connected', protocol: 'Call', version: '1.0.0' });
    expect(start).toMatchObject({
      event: 'start',
      sequenceNumber: '1',
      start: {
        callSid: call.callSid,
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
        customParameters: { agentId: 'ag_1', b: 'x & y' },
      },
    });
    const silence = Buffer.alloc(160, 0xff).toString('base64');
    expect(first).toMatchObject({
      event: 'media',
      sequenceNumber: '2',
      media: { track: 'inbound', chunk: '1', timestamp: '20', payload: silence },
    });
    expect(second).toMatchObject({ sequenceNumber: '3', media: { chunk: '2', timestamp: '40' } });
    const digits = gateway.received.filter(({ event }) => event === 'dtmf');
    expect(digits.map(({ dtmf }) => dtmf.digit)).toEqual(['5', '#']);
    expect(call.faults).toEqual([]);
  });

  it('buffers received audio until it is played, and returns marks when they are reached', async () => {
    const clock = new VirtualClock();
    const talk = (socket: WebSocket, sid: string) => {
      for (let i = 0; i < 10; i++) socket.send(media(sid));
      socket.send(mark(sid, 'a'));
      for (let i = 0; i < 10; i++) socket.send(media(sid));
      socket.send(mark(sid, 'b'));
      socket.on('message', (data) => {
        const { event, mark: named } = JSON.parse(String(data));
        if (event === 'mark' && named.name === 'a') {
          socket.send(JSON.stringify({ event: 'clear', streamSid: sid }));
        }
      });
    };
    const { gateway, call } = await callTo([CONNECT], talk, clock);
    await call.ring();
    await expect.poll(() => call.leg.waitingMs).toBe(400);
    clock.advance(200);
    const marks = () => gateway.received.flatMap(({ mark: named }) => named?.name ?? []);
    expect(marks()).toEqual([]);
    clock.advance(20);
    await expect.poll(marks).toEqual(['a', 'b']);
    expect(call.leg.waitingMs).toBe(0);
    clock.advance(200);
    // Cleared audio is not played, except for a frame that had started.
    expect(call.leg.audio.agent.filter((sample) => sample !== 0)).toHaveLength(11 * 160);
    expect(call.leg.maxLeadMs).toBe(400);
    expect(call.faults).toEqual([]);
  });

  it.each([
    ['a binary message', () => Buffer.from('abc')],
    ['no JSON', () => 'abc'],
    ['an unknown event', (sid: string) => JSON.stringify({ event: 'hello', streamSid: sid })],
    ['another stream', () => media('MZ0')],
    ['bad base64', (sid: string) => media(sid, '%%%%')],
    ['base64 without its end', (sid: string) => media(sid, FRAME.slice(0, -1))],
    ['media without a payload', (sid: string) => media(sid, '')],
    ['a mark without a name', (sid: string) => mark(sid, undefined as unknown as string)],
  ])('ends a stream if the gateway sends %s', async (_, message) => {
    const { call } = await callTo([CONNECT], (socket, sid) => {
      const said = message(sid);
      socket.send(said, { binary: typeof said !== 'string' });
    });
    await call.ring();
    expect((await call.ended).by).toBe('carrier');
    expect(call.faults.map(({ code }) => code)).toEqual(['twilio-31924']);
  });

  it('reports partial frames and audio sent too far ahead, and plays them anyway', async () => {
    const clock = new VirtualClock();
    const talk = (socket: WebSocket, sid: string) => {
      socket.send(media(sid, Buffer.alloc(100, 0x10).toString('base64')));
      for (let i = 0; i < 40; i++) socket.send(media(sid));
    };
    const { call } = await callTo([CONNECT], talk, clock);
    await call.ring();
    await expect.poll(() => call.leg.waitingMs).toBe(812.5);
    clock.advance(2_000);
    expect(call.leg.audio.agent.filter((sample) => sample !== 0)).toHaveLength(100 + 40 * 160);
    const codes = new Set(call.faults.map(({ code }) => code));
    expect([...codes]).toEqual(['partial-frame', 'lead']);
    expect(call.faults.length).toBeLessThanOrEqual(6);
  });

  it('continues with the TwiML response when the gateway closes the stream', async () => {
    const answer = CONNECT.replace(
      '</Response>',
      '<Say>Goodbye</Say><Dial>+15550111</Dial></Response>',
    );
    const { call } = await callTo([answer], (socket) => socket.close());
    await call.ring();
    expect(await call.ended).toEqual({ by: 'gateway', how: 'hung up' });
    expect(call.steps).toEqual(['Connect', 'Say Goodbye', 'Dial +15550111']);
  });

  it('follows a redirect in the response', async () => {
    const next = `<Response><Redirect>https://gw.example.test/next</Redirect></Response>`;
    const { gateway, call } = await callTo([next, '<Response><Hangup/></Response>']);
    expect(await call.ring()).toBe('ended');
    expect(gateway.forms.map(({ path }) => path).slice(0, 2)).toEqual([
      '/telephony/twilio/voice',
      '/next',
    ]);
  });

  it("reports a rejection in the carrier's words", async () => {
    const { gateway, call } = await callTo(['<Response><Reject reason="busy"/></Response>']);
    expect(await call.ring()).toBe('ended');
    expect(await call.ended).toEqual({ by: 'gateway', how: 'refused the call: busy' });
    expect(gateway.forms.at(-1)?.form.CallStatus).toBe('busy');
  });

  it('accepts a TwiML update during the call, and an end, like the REST API', async () => {
    const { call } = await callTo([CONNECT]);
    await call.ring();
    call.update('<Response><Dial><Number>+15550122</Number></Dial></Response>');
    expect(await call.ended).toEqual({ by: 'gateway', how: 'hung up' });
    expect(call.steps).toEqual(['Connect', 'Dial +15550122']);
    const other = await callTo([CONNECT]);
    await other.call.ring();
    other.call.complete();
    expect((await other.call.ended).how).toBe('ended the call over REST');
  });

  it.each([
    ['', /root must be <Response>|well-formed/],
    ['<Response><Connect>', /well-formed/],
    ['<html/>', /root must be <Response>/],
    ['<Response><Dance/></Response>', /no verb <Dance>/],
    ['<Response><Connect/></Response>', /must contain a <Stream>/],
    ['<Response><Connect><Stream url="ws://gw.example.test/s"/></Connect></Response>', /wss:/],
    ['<Response><Connect><Stream url="STREAM?a=1"/></Connect></Response>', /query string/],
    [
      `<Response><Connect><Stream url="STREAM"><Parameter name="a" value="${'x'.repeat(499)}"/></Stream></Connect></Response>`,
      /<Parameter> must be shorter than 500/,
    ],
  ])('rejects the response %s', async (answer, sentence) => {
    const { call } = await callTo([answer]);
    await expect(call.ring()).rejects.toThrow(sentence);
    expect((await call.ended).by).toBe('carrier');
  });

  it('gives instructions if there is no gateway, or one that rejects the signature', async () => {
    const call = new TwilioCall({
      clock: systemClock,
      gatewayUrl: 'http://127.0.0.1:9',
      accountSid: 'AC01',
      authToken: TOKEN,
      from: 'anonymous',
      to: '+15550199',
    });
    await expect(call.ring()).rejects.toThrow(/start the gateway/);
  });
});
