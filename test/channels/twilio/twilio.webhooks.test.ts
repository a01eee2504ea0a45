import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallRow } from '../../../src/calls/store/call.model.js';
import { startTwilio } from '../../support/fakes/carrier-servers.js';
import { WebhookReceiver } from '../../support/fakes/webhook-receiver.js';
import {
  ORIGIN,
  ringingFields,
  streamUrl,
  withTwilioPlane,
} from '../../support/harness/app/twilio-app.js';

const VOICE = '/telephony/twilio/voice';
const STATUS = '/telephony/twilio/status';
const twilio = await startTwilio();
const receiver = await WebhookReceiver.open();
let isOpen = true;
let origin: string | undefined = ORIGIN;
const plane = withTwilioPlane({ twilio, slots: 2, isOpen: () => isOpen, origin: () => origin });
afterAll(() => {
  twilio.close();
  return receiver.close();
});
beforeEach(() => {
  isOpen = true;
  origin = ORIGIN;
  receiver.requests.length = 0;
  receiver.answer();
});

let serial = 0;

async function agentWith(config: object = {}) {
  const number = `+1415557${String(serial++).padStart(4, '0')}`;
  const ask = await plane.asNewAccount(number);
  const agent = { name: 'Pool', config: { phone_number: number, ...config } };
  const { agent_id } = (await ask('POST', '/agent', agent)).body;
  await ask('POST', `/agent/${agent_id}/deploy`);
  return { ask, agent_id: agent_id as string, number };
}

const rows = (to: string) => plane.database.db<CallRow>('calls').where({ to_number: to });

describe('inbound call', () => {
  it('is answered with its media socket, and the record has both numbers', async () => {
    const { agent_id, number } = await agentWith();
    const answer = await plane.postForm(VOICE, ringingFields({ To: number }));
    expect([answer.status, answer.type]).toEqual([200, 'text/xml; charset=utf-8']);
    const url = streamUrl(answer.text);
    expect(url).toMatch(/^wss:\/\/voice\.example\.com\/telephony\/twilio\/stream\/[\w.-]+$/);
    const [row, ...others] = await rows(number);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      agent_id,
      call_type: 'sip_inbound',
      state: 'reserved',
      from_number: '+14155550100',
      to_number: number,
    });
    for (const [name, value] of Object.entries({
      callId: row!.call_id,
      agentId: agent_id,
      from: '+14155550100',
      to: number,
    })) {
      expect(answer.text).toContain(`<Parameter name="${name}" value="${value}"/>`);
    }
  });

  it('is created once for repeated webhooks, concurrent or later', async () => {
    const { number } = await agentWith();
    const call = ringingFields({ To: number });
    const answers = await Promise.all([1, 2, 3].map(() => plane.postForm(VOICE, call)));
    answers.push(await plane.postForm(VOICE, call));
    for (const { text } of answers) expect(streamUrl(text)).toContain('/stream/');
    const [row, ...others] = await rows(number);
    expect(others).toEqual([]);
    await plane.outboundCalls().calls.end(row!.call_id, 'user_hangup');
    expect((await plane.postForm(VOICE, call)).text).toContain('<Response><Hangup/></Response>');
    expect(await rows(number)).toHaveLength(1);
  });

  it('may come from a hidden number or a SIP address', async () => {
    const { number } = await agentWith();
    const hidden = await plane.postForm(VOICE, ringingFields({ To: number, From: '+266696687' }));
    expect(hidden.text).not.toContain('name="from"');
    const To = `sip:${number}@voice.example.com;transport=tls`;
    const addressed = await plane.postForm(
      VOICE,
      ringingFields({ To, From: 'sip:+14155550123@sip.test' }),
    );
    expect(addressed.text).toContain('<Parameter name="from" value="+14155550123"/>');
    const numbers = (await rows(number)).map(({ from_number }) => from_number);
    expect(numbers.sort()).toEqual(['+14155550123', null]);
  });

  it('is rejected as out of service without a deployed agent', async () => {
    const { ask, agent_id, number } = await agentWith();
    await ask('POST', `/agent/${agent_id}/pause`);
    for (const To of [number, '+14155559999', 'sip:nobody@example.test', '']) {
      const { status, text } = await plane.postForm(VOICE, ringingFields({ To }));
      expect([status, text]).toEqual([200, expect.stringContaining('<Reject reason="rejected"/>')]);
    }
  });

  it('is rejected for a number of another account', async () => {
    const { number } = await agentWith();
    const account_id = await plane.makeAccount();
    await plane.database.db('phone_numbers').where({ phone_number: number }).update({ account_id });
    const { text } = await plane.postForm(VOICE, ringingFields({ To: number }));
    expect(text).toContain('<Reject reason="rejected"/>');
  });

  it('is rejected as busy without free slots or credits, or on overload', async () => {
    const { number } = await agentWith();
    const ring = async () => (await plane.postForm(VOICE, ringingFields({ To: number }))).text;
    isOpen = false;
    expect(await ring()).toContain('<Reject reason="busy"/>');
    isOpen = true;
    await ring();
    await ring();
    expect(await ring()).toContain('<Reject reason="busy"/>');
    const withoutCredits = await agentWith();
    const row = await plane.database.db('agents').where({ id: withoutCredits.agent_id }).first();
    await plane.database.db('accounts').where({ id: row.account_id }).update({ balance: 0 });
    const broke = await plane.postForm(VOICE, ringingFields({ To: withoutCredits.number }));
    expect(broke.text).toContain('<Reject reason="busy"/>');
  });
});

describe('inbound_call webhook', () => {
  it('is requested while the phone rings, and its variables are used in the call', async () => {
    const { agent_id, number } = await agentWith({
      greeting: 'Hello {{name}}!',
      webhooks: { inbound_call: { url: receiver.url() } },
    });
    receiver.answer((response) => response.end('{"dynamic_variables":{"name":"Ann"}}'));
    await plane.postForm(VOICE, ringingFields({ To: number }));
    const [row] = await rows(number);
    expect(receiver.requests.map(({ body }) => body)).toEqual([
      { agent_id, call_id: row!.call_id, from_number: '+14155550100', to_number: number },
    ]);
    expect(row!.options).toEqual({ dynamic_variables: { name: 'Ann' } });
  });

  it('that fails starts the call with the saved config, and the record contains the reason', async () => {
    const { number } = await agentWith({ webhooks: { inbound_call: { url: receiver.url() } } });
    receiver.answer((response) => response.writeHead(500).end());
    const { text } = await plane.postForm(VOICE, ringingFields({ To: number }));
    expect(streamUrl(text)).toContain('/stream/');
    const [row] = await rows(number);
    expect(row!.options.inbound_call_error).toContain('500');
  });

  it('is requested once for a call with repeated webhooks', async () => {
    const { number } = await agentWith({ webhooks: { inbound_call: { url: receiver.url() } } });
    const call = ringingFields({ To: number });
    await Promise.all([plane.postForm(VOICE, call), plane.postForm(VOICE, call)]);
    expect(receiver.requests).toHaveLength(1);
  });
});

describe('unsigned Twilio webhook', () => {
  it('is refused: another token, URL or account, or none', async () => {
    const { number } = await agentWith();
    const call = ringingFields({ To: number });
    for (const how of [
      { token: 'another' },
      { signedUrl: `${ORIGIN}${STATUS}` },
      { signedUrl: `http://voice.example.com${VOICE}` },
      { headers: { 'x-twilio-signature': '' } },
    ]) {
      const { status, text } = await plane.postForm(VOICE, call, how);
      expect([status, JSON.parse(text).code]).toEqual([403, 'FORBIDDEN']);
    }
    const other = await plane.postForm(VOICE, { ...call, AccountSid: 'AC0002' });
    expect(other.status).toBe(403);
    expect(await rows(number)).toEqual([]);
  });

  it('is refused with a URL from an untrusted proxy', async () => {
    const { number } = await agentWith();
    const { status } = await plane.postForm(VOICE, ringingFields({ To: number }), {
      signedUrl: `https://evil.example.test${VOICE}`,
      headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example.test' },
    });
    expect(status).toBe(403);
  });

  it('is refused if it is no form, too long, without a call, or not posted', async () => {
    const json = await plane.postForm(VOICE, ringingFields(), { type: 'application/json' });
    expect(json.status).toBe(415);
    const long = await plane.postForm(VOICE, ringingFields({ Note: 'x'.repeat(70_000) }));
    expect(long.status).toBe(413);
    expect((await plane.postForm(VOICE, ringingFields({ CallSid: 'none' }))).status).toBe(404);
    const got = await fetch(plane.url + VOICE);
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('is refused while the public URL is unknown', async () => {
    const { number } = await agentWith();
    origin = undefined;
    expect((await plane.postForm(VOICE, ringingFields({ To: number }))).status).toBe(403);
  });
});

describe('Twilio status callback', () => {
  it('of a caller who hung up while the phone rang frees the slot', async () => {
    const { number } = await agentWith();
    const call = ringingFields({ To: number });
    await plane.postForm(VOICE, call);
    const over = { ...call, CallStatus: 'completed', CallDuration: '0' };
    expect((await plane.postForm(STATUS, over)).status).toBe(204);
    expect(await rows(number)).toMatchObject([{ state: 'ended', ended_reason: 'user_hangup' }]);
    expect((await plane.postForm(STATUS, over)).status).toBe(204);
  });

  it('of a caller who hung up during the inbound webhook ends the resulting call', async () => {
    const { number } = await agentWith({ webhooks: { inbound_call: { url: receiver.url() } } });
    const call = ringingFields({ To: number });
    let ringResponse: ReturnType<typeof plane.postForm> | undefined;
    const answer = await new Promise<ServerResponse>((onRequest) => {
      receiver.answer((response) => onRequest(response));
      ringResponse = plane.postForm(VOICE, call);
    });
    const over = plane.postForm(STATUS, { ...call, CallStatus: 'completed' });
    // Long enough for the status callback to arrive first on most machines; the result is the same
    // otherwise.
    await sleep(100);
    answer.end('{}');
    expect([(await ringResponse)?.status, (await over).status]).toEqual([200, 204]);
    expect(await rows(number)).toMatchObject([{ state: 'ended', ended_reason: 'user_hangup' }]);
  });

  it('for an intermediate state ends nothing, and for an unknown call neither', async () => {
    const { number } = await agentWith();
    const call = ringingFields({ To: number });
    await plane.postForm(VOICE, call);
    for (const CallStatus of ['ringing', 'in-progress', 'sleeping', '']) {
      expect((await plane.postForm(STATUS, { ...call, CallStatus })).status).toBe(204);
    }
    expect(await rows(number)).toMatchObject([{ state: 'reserved' }]);
    expect((await plane.postForm(STATUS, ringingFields({ CallStatus: 'completed' }))).status).toBe(
      204,
    );
  });
});

describe('outbound call', () => {
  async function dialled() {
    const { ask, agent_id, number } = await agentWith({
      allow_outbound_calling: true,
      outbound_contacts: { Ann: '+14155550100' },
    });
    const onRequest = { agent_id, target_phone_number: '+14155550100' };
    const { call_id } = (await ask('POST', '/calls/outbound', onRequest)).body;
    const [ordered] = [...twilio.calls.values()].slice(-1);
    const pathOf = (name: string) => ordered!.order.get(name)!.slice(ORIGIN.length);
    const fields = (more: Readonly<Record<string, string>>) =>
      ringingFields({
        CallSid: ordered!.sid,
        Direction: 'outbound-api',
        From: number,
        To: '+14155550100',
        ...more,
      });
    const postForm = (url: string, more: Readonly<Record<string, string>>) =>
      plane.postForm(pathOf(url), fields(more));
    return { call_id: call_id as string, number, postForm };
  }
  const rowOf = (callId: string) => plane.outboundCalls().calls.find(callId);

  it('gets its socket when it is answered, for repeated webhooks too', async () => {
    const { call_id, number, postForm } = await dialled();
    for (const status of ['initiated', 'ringing']) {
      await postForm('StatusCallback', { CallStatus: status });
    }
    expect((await rowOf(call_id))?.options.dial_status).toBe('ringing');
    for (const _ of [1, 2]) {
      const { text } = await postForm('Url', { CallStatus: 'in-progress' });
      expect(streamUrl(text)).toContain('/stream/');
      expect(text).toContain(`<Parameter name="callId" value="${call_id}"/>`);
      expect(text).toContain(`<Parameter name="from" value="${number}"/>`);
    }
  });

  it.each(['busy', 'no-answer', 'failed'])('ends if the called party is %s', async (status) => {
    const { call_id, postForm } = await dialled();
    await postForm('StatusCallback', { CallStatus: status });
    expect(await rowOf(call_id)).toMatchObject({
      state: 'ended',
      options: { dial_status: status },
    });
    expect((await postForm('Url', { CallStatus: 'in-progress' })).text).toContain('<Hangup/>');
  });

  it.each(['machine_start', 'machine_end_beep', 'fax'])(
    'ends if an answering machine is detected: %s',
    async (AnsweredBy) => {
      const { call_id, postForm } = await dialled();
      await postForm('Url', { CallStatus: 'in-progress' });
      await postForm('AsyncAmdStatusCallback', { AnsweredBy });
      expect(await rowOf(call_id)).toMatchObject({
        state: 'ended',
        ended_reason: 'voicemail_reached',
      });
    },
  );

  it.each(['human', 'unknown'])('continues if no machine is detected: %s', async (AnsweredBy) => {
    const { call_id, postForm } = await dialled();
    await postForm('Url', { CallStatus: 'in-progress' });
    await postForm('AsyncAmdStatusCallback', { AnsweredBy });
    expect((await rowOf(call_id))?.state).toBe('reserved');
  });

  it('is hung up if it was ended before the answer, or is unknown', async () => {
    const { call_id, postForm } = await dialled();
    await plane.outboundCalls().commands.end(call_id, 'operator_ended');
    expect((await postForm('Url', { CallStatus: 'in-progress' })).text).toContain('<Hangup/>');
    const path = `${VOICE}?call_id=${randomUUID()}`;
    expect((await plane.postForm(path, ringingFields())).text).toContain('<Hangup/>');
  });
});
