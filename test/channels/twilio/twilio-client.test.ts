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

describe('a call that Twilio is to make', () => {
  it('is ordered with its URLs, each step told, and a machine looked for meanwhile', async () => {
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

  it('that is refused says so in the words of Twilio', async () => {
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

  it('may ring where the answer was lost, and is not ordered again', async () => {
    twilio.dropsResponses = true;
    expect(await calls().create(ORDER)).toEqual({ type: 'unknown' });
    expect(twilio.requests).toHaveLength(1);
  });

  it('does not ring where Twilio was not reached', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    await new Promise((resolve) => server.close(resolve));
    const port = typeof address === 'object' ? address?.port : 0;
    const failure = calls({ baseUrl: `http://127.0.0.1:${port}` }).create(ORDER);
    await expect(failure).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
  });
});

describe('a running call', () => {
  it('is ended, and once it is over that is no fault', async () => {
    const call = addCall(twilio, 'CA01');
    await calls().end('CA01');
    expect(call.status).toBe('completed');
    await calls().end('CA01');
    await calls().end('CA99');
  });

  it('is redirected while it runs', async () => {
    const call = addCall(twilio, 'CA02');
    expect(await calls().redirect('CA02', '<Response/>')).toBe(true);
    expect(call.redirects).toEqual(['<Response/>']);
    call.status = 'completed';
    expect(await calls().redirect('CA02', '<Response/>')).toBe(false);
    expect(await calls().redirect('CA99', '<Response/>')).toBe(false);
  });

  it('that cannot be ended says why', async () => {
    addCall(twilio, 'CA03');
    await expect(calls({ authToken: 'wrong' }).end('CA03')).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
    });
  });
});
