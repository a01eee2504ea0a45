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

describe('a number that rings', () => {
  it('is answered with the socket of its call, which is in the record with both numbers', async () => {
    const { agent_id, number } = await agentWith();
    const answer = await plane.tell(VOICE, ringingFields({ To: number }));
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

  it('is one call however often Twilio asks, at once and later', async () => {
    const { number } = await agentWith();
    const call = ringingFields({ To: number });
    const answers = await Promise.all([1, 2, 3].map(() => plane.tell(VOICE, call)));
    answers.push(await plane.tell(VOICE, call));
    for (const { text } of answers) expect(streamUrl(text)).toContain('/stream/');
    const [row, ...others] = await rows(number);
    expect(others).toEqual([]);
    await plane.desk().calls.end(row!.call_id, 'user_hangup');
    expect((await plane.tell(VOICE, call)).text).toContain('<Response><Hangup/></Response>');
    expect(await rows(number)).toHaveLength(1);
  });

  it('may be called by a hidden number, and by SIP addresses', async () => {
    const { number } = await agentWith();
    const hidden = await plane.tell(VOICE, ringingFields({ To: number, From: '+266696687' }));
    expect(hidden.text).not.toContain('name="from"');
    const To = `sip:${number}@voice.example.com;transport=tls`;
    const addressed = await plane.tell(
      VOICE,
      ringingFields({ To, From: 'sip:+14155550123@sip.test' }),
    );
    expect(addressed.text).toContain('<Parameter name="from" value="+14155550123"/>');
    const numbers = (await rows(number)).map(({ from_number }) => from_number);
    expect(numbers.sort()).toEqual(['+14155550123', null]);
  });

  it('that no agent has, or whose agent is paused, is out of service', async () => {
    const { ask, agent_id, number } = await agentWith();
    await ask('POST', `/agent/${agent_id}/pause`);
    for (const To of [number, '+14155559999', 'sip:nobody@example.test', '']) {
      const { status, text } = await plane.tell(VOICE, ringingFields({ To }));
      expect([status, text]).toEqual([200, expect.stringContaining('<Reject reason="rejected"/>')]);
    }
  });

  it('that another account owns does not ring here', async () => {
    const { number } = await agentWith();
    const account_id = await plane.makeAccount();
    await plane.database.db('phone_numbers').where({ phone_number: number }).update({ account_id });
    const { text } = await plane.tell(VOICE, ringingFields({ To: number }));
    expect(text).toContain('<Reject reason="rejected"/>');
  });

  it('is busy while all slots are taken, credits are gone, or the gateway is full', async () => {
    const { number } = await agentWith();
    const ring = async () => (await plane.tell(VOICE, ringingFields({ To: number }))).text;
    isOpen = false;
    expect(await ring()).toContain('<Reject reason="busy"/>');
    isOpen = true;
    await ring();
    await ring();
    expect(await ring()).toContain('<Reject reason="busy"/>');
    const poor = await agentWith();
    const row = await plane.database.db('agents').where({ id: poor.agent_id }).first();
    await plane.database.db('accounts').where({ id: row.account_id }).update({ balance: 0 });
    const broke = await plane.tell(VOICE, ringingFields({ To: poor.number }));
    expect(broke.text).toContain('<Reject reason="busy"/>');
  });
});

describe('the inbound_call webhook', () => {
  it('is asked while it rings, and its variables are in the call', async () => {
    const { agent_id, number } = await agentWith({
      greeting: 'Hello {{name}}!',
      webhooks: { inbound_call: { url: receiver.url() } },
    });
    receiver.answer((response) => response.end('{"dynamic_variables":{"name":"Ann"}}'));
    await plane.tell(VOICE, ringingFields({ To: number }));
    const [row] = await rows(number);
    expect(receiver.requests.map(({ body }) => body)).toEqual([
      { agent_id, call_id: row!.call_id, from_number: '+14155550100', to_number: number },
    ]);
    expect(row!.options).toEqual({ dynamic_variables: { name: 'Ann' } });
  });

  it('that fails lets the call go on as saved, and the record says why', async () => {
    const { number } = await agentWith({ webhooks: { inbound_call: { url: receiver.url() } } });
    receiver.answer((response) => response.writeHead(500).end());
    const { text } = await plane.tell(VOICE, ringingFields({ To: number }));
    expect(streamUrl(text)).toContain('/stream/');
    const [row] = await rows(number);
    expect(row!.options.inbound_call_error).toContain('500');
  });

  it('is asked once about a call that Twilio tells of twice', async () => {
    const { number } = await agentWith({ webhooks: { inbound_call: { url: receiver.url() } } });
    const call = ringingFields({ To: number });
    await Promise.all([plane.tell(VOICE, call), plane.tell(VOICE, call)]);
    expect(receiver.requests).toHaveLength(1);
  });
});

describe('what Twilio has not signed', () => {
  it('is refused: another token, URL, account, or none of it', async () => {
    const { number } = await agentWith();
    const call = ringingFields({ To: number });
    for (const how of [
      { token: 'another' },
      { signedUrl: `${ORIGIN}${STATUS}` },
      { signedUrl: `http://voice.example.com${VOICE}` },
      { headers: { 'x-twilio-signature': '' } },
    ]) {
      const { status, text } = await plane.tell(VOICE, call, how);
      expect([status, JSON.parse(text).code]).toEqual([403, 'FORBIDDEN']);
    }
    const other = await plane.tell(VOICE, { ...call, AccountSid: 'AC0002' });
    expect(other.status).toBe(403);
    expect(await rows(number)).toEqual([]);
  });

  it('is refused where a proxy tells of a URL that nobody trusts', async () => {
    const { number } = await agentWith();
    const { status } = await plane.tell(VOICE, ringingFields({ To: number }), {
      signedUrl: `https://evil.example.test${VOICE}`,
      headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example.test' },
    });
    expect(status).toBe(403);
  });

  it('is refused where it is no form, too long, no call, or not posted', async () => {
    const json = await plane.tell(VOICE, ringingFields(), { type: 'application/json' });
    expect(json.status).toBe(415);
    const long = await plane.tell(VOICE, ringingFields({ Note: 'x'.repeat(70_000) }));
    expect(long.status).toBe(413);
    expect((await plane.tell(VOICE, ringingFields({ CallSid: 'none' }))).status).toBe(404);
    const got = await fetch(plane.url + VOICE);
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('is not asked for while the own address is not known', async () => {
    const { number } = await agentWith();
    origin = undefined;
    expect((await plane.tell(VOICE, ringingFields({ To: number }))).status).toBe(403);
  });
});

describe('the end that Twilio tells', () => {
  it('of a caller who hung up while it rang frees the slot', async () => {
    const { number } = await agentWith();
    const call = ringingFields({ To: number });
    await plane.tell(VOICE, call);
    const over = { ...call, CallStatus: 'completed', CallDuration: '0' };
    expect((await plane.tell(STATUS, over)).status).toBe(204);
    expect(await rows(number)).toMatchObject([{ state: 'ended', ended_reason: 'user_hangup' }]);
    expect((await plane.tell(STATUS, over)).status).toBe(204);
  });

  it('of a caller who hung up while the owner was asked ends the call that came of it', async () => {
    const { number } = await agentWith({ webhooks: { inbound_call: { url: receiver.url() } } });
    const call = ringingFields({ To: number });
    let rung: ReturnType<typeof plane.tell> | undefined;
    const answer = await new Promise<ServerResponse>((asked) => {
      receiver.answer((response) => asked(response));
      rung = plane.tell(VOICE, call);
    });
    const over = plane.tell(STATUS, { ...call, CallStatus: 'completed' });
    // Long enough for the end to be told first, on most machines; it is the same call if it is not.
    await sleep(100);
    answer.end('{}');
    expect([(await rung)?.status, (await over).status]).toEqual([200, 204]);
    expect(await rows(number)).toMatchObject([{ state: 'ended', ended_reason: 'user_hangup' }]);
  });

  it('of a step on the way ends nothing, and of a call that is none neither', async () => {
    const { number } = await agentWith();
    const call = ringingFields({ To: number });
    await plane.tell(VOICE, call);
    for (const CallStatus of ['ringing', 'in-progress', 'sleeping', '']) {
      expect((await plane.tell(STATUS, { ...call, CallStatus })).status).toBe(204);
    }
    expect(await rows(number)).toMatchObject([{ state: 'reserved' }]);
    expect((await plane.tell(STATUS, ringingFields({ CallStatus: 'completed' }))).status).toBe(204);
  });
});

describe('a call that an agent makes', () => {
  async function dialled() {
    const { ask, agent_id, number } = await agentWith({
      allow_outbound_calling: true,
      outbound_contacts: { Ann: '+14155550100' },
    });
    const asked = { agent_id, target_phone_number: '+14155550100' };
    const { call_id } = (await ask('POST', '/calls/outbound', asked)).body;
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
    const tell = (url: string, more: Readonly<Record<string, string>>) =>
      plane.tell(pathOf(url), fields(more));
    return { call_id: call_id as string, number, tell };
  }
  const rowOf = (callId: string) => plane.desk().calls.find(callId);

  it('gets its socket once somebody answers, however often Twilio asks', async () => {
    const { call_id, number, tell } = await dialled();
    for (const status of ['initiated', 'ringing']) {
      await tell('StatusCallback', { CallStatus: status });
    }
    expect((await rowOf(call_id))?.options.dial_status).toBe('ringing');
    for (const _ of [1, 2]) {
      const { text } = await tell('Url', { CallStatus: 'in-progress' });
      expect(streamUrl(text)).toContain('/stream/');
      expect(text).toContain(`<Parameter name="callId" value="${call_id}"/>`);
      expect(text).toContain(`<Parameter name="from" value="${number}"/>`);
    }
  });

  it.each(['busy', 'no-answer', 'failed'])('ends when the other end is %s', async (status) => {
    const { call_id, tell } = await dialled();
    await tell('StatusCallback', { CallStatus: status });
    expect(await rowOf(call_id)).toMatchObject({
      state: 'ended',
      options: { dial_status: status },
    });
    expect((await tell('Url', { CallStatus: 'in-progress' })).text).toContain('<Hangup/>');
  });

  it.each(['machine_start', 'machine_end_beep', 'fax'])(
    'ends with a machine that answers: %s',
    async (AnsweredBy) => {
      const { call_id, tell } = await dialled();
      await tell('Url', { CallStatus: 'in-progress' });
      await tell('AsyncAmdStatusCallback', { AnsweredBy });
      expect(await rowOf(call_id)).toMatchObject({
        state: 'ended',
        ended_reason: 'voicemail_reached',
      });
    },
  );

  it.each(['human', 'unknown'])('goes on with whoever is no machine: %s', async (AnsweredBy) => {
    const { call_id, tell } = await dialled();
    await tell('Url', { CallStatus: 'in-progress' });
    await tell('AsyncAmdStatusCallback', { AnsweredBy });
    expect((await rowOf(call_id))?.state).toBe('reserved');
  });

  it('is hung up when it was ended before somebody answered, or is none of ours', async () => {
    const { call_id, tell } = await dialled();
    await plane.desk().commands.end(call_id, 'operator_ended');
    expect((await tell('Url', { CallStatus: 'in-progress' })).text).toContain('<Hangup/>');
    const path = `${VOICE}?call_id=${randomUUID()}`;
    expect((await plane.tell(path, ringingFields())).text).toContain('<Hangup/>');
  });
});
