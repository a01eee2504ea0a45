import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TwilioClient } from '../../../src/channels/twilio/twilio-client.js';
import { type FakeCarrier, TWILIO } from '../../support/fakes/carrier.js';
import { startTwilio } from '../../support/fakes/carrier-servers.js';
import { addCall } from '../../support/fakes/twilio-calls.js';

const ORDER = {
  to: '+14155550100',
  from: '+14155550199',
  answerUrl: 'https://gw.example.test/telephony/twilio/voice?call_id=1',
  statusUrl: 'https://gw.example.test/telephony/twilio/status?call_id=1',
  machineUrl: 'https://gw.example.test/telephony/twilio/status?call_id=1',
  ringS: 45,
};
let twilio: FakeCarrier;
const calls = (over: object = {}) =>
  new TwilioClient({ ...TWILIO, baseUrl: twilio.baseUrl, ...over });

beforeAll(async () => {
  twilio = await startTwilio();
});
afterAll(() => twilio.close());
beforeEach(() => {
  twilio.dropsResponses = false;
  twilio.calls.clear();
  twilio.requests.length = 0;
});

describe('Twilio call creation', () => {
  it('sends its URLs, all status events, and machine detection', async () => {
    const placed = await calls().create(ORDER);
    const [call] = twilio.calls.values();
    expect(placed).toEqual({ type: 'placed', callSid: call!.sid });
    expect([...call!.order]).toEqual([
      ['To', ORDER.to],
      ['From', ORDER.from],
      ['Url', ORDER.answerUrl],
      ['Method', 'POST'],
      ['Timeout', '45'],
      ['StatusCallback', ORDER.statusUrl],
      ['StatusCallbackMethod', 'POST'],
      ['StatusCallbackEvent', 'initiated'],
      ['StatusCallbackEvent', 'ringing'],
      ['StatusCallbackEvent', 'answered'],
      ['StatusCallbackEvent', 'completed'],
      ['MachineDetection', 'Enable'],
      ['AsyncAmd', 'true'],
      ['AsyncAmdStatusCallback', ORDER.machineUrl],
      ['AsyncAmdStatusCallbackMethod', 'POST'],
    ]);
  });

  it("returns Twilio's reason for a refusal", async () => {
    const failure = calls().create({ ...ORDER, to: '+1' });
    await expect(failure).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
      detail: expect.stringContaining('not valid'),
    });
    await expect(calls({ authToken: 'wrong' }).create(ORDER)).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
    });
    expect(twilio.calls.size).toBe(0);
  });

  it('counts as uncertain if the response was lost, and is not repeated', async () => {
    twilio.dropsResponses = true;
    expect(await calls().create(ORDER)).toEqual({ type: 'unknown' });
    expect(twilio.requests).toHaveLength(1);
  });

  it('fails if Twilio was not reached', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    await new Promise((resolve) => server.close(resolve));
    const port = typeof address === 'object' ? address?.port : 0;
    const failure = calls({ baseUrl: `http://127.0.0.1:${port}` }).create(ORDER);
    await expect(failure).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
  });
});

describe('Twilio call update', () => {
  it('ends a call, and ignores that it has already ended', async () => {
    const call = addCall(twilio, 'CA01');
    await calls().end('CA01');
    expect(call.status).toBe('completed');
    await calls().end('CA01');
    await calls().end('CA99');
  });

  it('redirects a running call', async () => {
    const call = addCall(twilio, 'CA02');
    expect(await calls().redirect('CA02', '<Response/>')).toBe(true);
    expect(call.redirects).toEqual(['<Response/>']);
    call.status = 'completed';
    expect(await calls().redirect('CA02', '<Response/>')).toBe(false);
    expect(await calls().redirect('CA99', '<Response/>')).toBe(false);
  });

  it('returns the reason if a call cannot be ended', async () => {
    addCall(twilio, 'CA03');
    await expect(calls({ authToken: 'wrong' }).end('CA03')).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
    });
  });
});
