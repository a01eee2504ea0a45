import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DialStatus } from '../../../src/calls/outbound/dialer.js';
import type { CallRow } from '../../../src/calls/store/call.model.js';
import { TWILIO } from '../../support/fakes/carrier.js';
import { startTwilio } from '../../support/fakes/carrier-servers.js';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';
import { outboundOf } from '../../support/harness/app/outbound-calls-app.js';

const ORIGIN = 'https://voice.example.com';
const TO = '+14155550100';
const twilio = await startTwilio();
let origin: string | undefined;
let isOpen: boolean;
let outboundCalls: ReturnType<typeof outboundOf>;

const plane = withControlPlane({
  routes: (db) => {
    outboundCalls = outboundOf(db, {
      twilioUrl: () => twilio.baseUrl,
      twilioToken: TWILIO.authToken,
      origin: () => origin,
      slots: 2,
      isOpen: () => isOpen,
    });
    return outboundCalls.routes;
  },
});
afterAll(() => twilio.close());
beforeEach(() => {
  twilio.dropsResponses = false;
  twilio.calls.clear();
  twilio.requests.length = 0;
  origin = ORIGIN;
  isOpen = true;
});

let serial = 0;
const newNumber = () => `+1415556${String(serial++).padStart(4, '0')}`;

async function agentWith(config: object = {}) {
  const phone_number = newNumber();
  const ask = await plane.asNewAccount(phone_number);
  const mayCall = { allow_outbound_calling: true, outbound_contacts: { Ann: TO }, phone_number };
  const agent = { name: 'Pool', config: { ...mayCall, ...config } };
  const agent_id: string = (await ask('POST', '/agent', agent)).body.agent_id;
  await ask('POST', `/agent/${agent_id}/deploy`);
  const call = (more: object = {}, headers = {}) =>
    ask('POST', '/calls/outbound', { agent_id, target_phone_number: TO, ...more }, headers);
  return { ask, agent_id, phone_number, call };
}

const rowOf = async (callId: string) => (await outboundCalls.calls.find(callId)) as CallRow;
const open = () => plane.database.db<CallRow>('calls').whereNot({ state: 'ended' });

describe('outbound call', () => {
  it("is dialled by the carrier from the agent's number and has a record", async () => {
    const { agent_id, phone_number, call } = await agentWith();
    const { status, body } = await call({ dynamic_variables: { name: 'Ann' } });
    expect(status).toBe(200);
    const { call_id } = body;
    expect(body).toEqual({
      call_id,
      room_name: `call-${call_id}`,
      agent_id,
      target_phone_number: TO,
      status: 'initiated',
      initiated_at: expect.stringMatching(/Z$/),
    });
    const [ordered] = twilio.calls.values();
    expect(Object.fromEntries(ordered!.order)).toMatchObject({
      To: TO,
      From: phone_number,
      Url: `${ORIGIN}/telephony/twilio/voice?call_id=${call_id}`,
      StatusCallback: `${ORIGIN}/telephony/twilio/status?call_id=${call_id}`,
    });
    expect(await rowOf(call_id)).toMatchObject({
      call_type: 'sip_outbound',
      state: 'reserved',
      from_number: phone_number,
      to_number: TO,
      options: {
        dynamic_variables: { name: 'Ann' },
        carrier: 'twilio',
        carrier_call_id: ordered!.sid,
      },
    });
  });

  it('is dialled once for a repeated request, concurrent or later', async () => {
    const { call } = await agentWith();
    const key = { 'Idempotency-Key': randomUUID() };
    const [one, two] = await Promise.all([call({}, key), call({}, key)]);
    expect([one.status, two.status].sort()).toEqual(
      expect.arrayContaining([200, expect.toBeOneOf([200, 409])]),
    );
    const later = await call({}, key);
    expect(later.status).toBe(200);
    expect(later.headers.get('Idempotency-Replayed')).toBe('true');
    expect(twilio.requests).toHaveLength(1);
  });

  it("counts as made if the carrier's response was lost", async () => {
    const { call } = await agentWith();
    twilio.dropsResponses = true;
    const key = { 'Idempotency-Key': randomUUID() };
    const { status, body } = await call({}, key);
    expect([status, body.status]).toEqual([200, 'initiated']);
    expect((await call({}, key)).body.call_id).toBe(body.call_id);
    expect(twilio.requests).toHaveLength(1);
    expect((await rowOf(body.call_id)).state).toBe('reserved');
  });
});

describe('outbound call that is refused', () => {
  it('because the agent is not deployed, may not call, or has no number', async () => {
    const { ask, agent_id, call } = await agentWith();
    await ask('POST', `/agent/${agent_id}/pause`);
    const paused = await call();
    expect([paused.status, paused.body.reason]).toEqual([403, 'agent_not_deployed']);
    for (const config of [{ allow_outbound_calling: false }, { phone_number: null }]) {
      const { status, body } = await (await agentWith(config)).call();
      expect([status, body.code, body.reason]).toEqual([
        403,
        'CALL_VALIDATION_FAILED',
        'outbound_not_allowed',
      ]);
    }
    expect(twilio.requests).toEqual([]);
  });

  it.each(['+911', '+1911', '+44999', '+112', '+19005550100', '+4490912345678', '+881612345678'])(
    'because of the number %s',
    async (target_phone_number) => {
      const { call } = await agentWith();
      const { status, body } = await call({ target_phone_number });
      expect([status, body.reason]).toEqual([403, 'outbound_not_allowed']);
      expect(twilio.requests).toEqual([]);
    },
  );

  it('by the carrier takes no slot', async () => {
    const { call } = await agentWith();
    const { status, body } = await call({ target_phone_number: '+1415555010000000' });
    expect(status).toBe(422);
    expect(body.detail[0].loc).toEqual(['body', 'target_phone_number']);
    const before = await open();
    const wrong = { ...TWILIO };
    TWILIO.authToken = 'changed at the carrier';
    try {
      const refused = await call();
      expect([refused.status, refused.body.code]).toEqual([502, 'PROVIDER_ERROR']);
    } finally {
      Object.assign(TWILIO, wrong);
    }
    expect(await open()).toHaveLength(before.length);
    const row = await plane.database.db<CallRow>('calls').orderBy('id', 'desc').first();
    expect(row).toMatchObject({
      ended_reason: 'error_transport',
      options: { dial_status: 'failed' },
    });
  });

  it('because of full slots, missing credits or overload', async () => {
    const { call } = await agentWith();
    await call();
    await call();
    const full = await call();
    expect([full.status, full.body.reason]).toEqual([403, 'concurrency_limit']);
    const withoutCredits = await agentWith();
    const row = await plane.database.db('agents').where({ id: withoutCredits.agent_id }).first();
    await plane.database.db('accounts').where({ id: row.account_id }).update({ balance: 0 });
    const broke = await withoutCredits.call();
    expect([broke.status, broke.body.reason]).toEqual([403, 'insufficient_credits']);
    isOpen = false;
    const busy = await (await agentWith()).call();
    expect([busy.status, busy.body.code]).toEqual([503, 'OVERLOADED']);
    expect(twilio.calls.size).toBe(2);
  });

  it('because of a missing public URL, a foreign agent or a bad override', async () => {
    origin = undefined;
    const { agent_id, call } = await agentWith();
    const { status, body } = await call();
    expect([status, body.code]).toEqual([503, 'PUBLIC_URL_REQUIRED']);
    const other = await plane.asNewAccount();
    const requestBody = { agent_id, target_phone_number: TO };
    expect((await other('POST', '/calls/outbound', requestBody)).status).toBe(404);
    const voice = await call({ agent_overrides: { tts_params: { voice_id: 'nobody' } } });
    expect([voice.status, voice.body.code]).toEqual([404, 'VOICE_NOT_FOUND']);
    const prompt = await call({ agent_overrides: { prompt: 'x' } });
    expect(prompt.body.detail[0].loc).toEqual(['body', 'agent_overrides', 'prompt']);
  });

  it('because its carrier is not configured', async () => {
    const { status, body } = await (await agentWith({ phone_provider: 'telnyx' })).call();
    expect([status, body.code]).toEqual([409, 'NOT_CONFIGURED']);
    expect(body.error).toContain('set TELNYX_API_KEY');
  });
});

describe('call progress', () => {
  async function dialled(): Promise<string> {
    return (await (await agentWith()).call()).body.call_id;
  }

  it.each(['busy', 'no-answer', 'failed', 'canceled'] as const)(
    'ends the call: %s',
    async (status) => {
      const callId = await dialled();
      for (const step of ['initiated', 'ringing', status, status] as DialStatus[]) {
        await outboundCalls.outbound.progress(callId, step);
      }
      expect(await rowOf(callId)).toMatchObject({
        state: 'ended',
        started_at: null,
        ended_reason: 'error_transport',
        options: { dial_status: status },
        credits_used: '0.000000',
      });
    },
  );

  it('ends the call for an answering machine, and later states are ignored', async () => {
    const callId = await dialled();
    for (const step of ['ringing', 'answered', 'machine', 'completed'] as const) {
      await outboundCalls.outbound.progress(callId, step);
    }
    expect(await rowOf(callId)).toMatchObject({
      state: 'ended',
      ended_reason: 'voicemail_reached',
      options: { dial_status: 'machine' },
    });
  });

  it('ends a call that completes before its audio was connected', async () => {
    const callId = await dialled();
    await outboundCalls.outbound.progress(callId, 'answered');
    expect((await rowOf(callId)).state).toBe('reserved');
    await outboundCalls.outbound.progress(callId, 'completed');
    expect(await rowOf(callId)).toMatchObject({ state: 'ended', ended_reason: 'error_transport' });
  });

  it('after an end before the answer stops the ringing', async () => {
    const callId = await dialled();
    const [sid, atTwilio] = [...twilio.calls].at(-1)!;
    expect((await rowOf(callId)).options.carrier_call_id).toBe(sid);
    await outboundCalls.commands.end(callId, 'operator_ended');
    await vi.waitFor(() => expect(atTwilio.status).toBe('completed'), { timeout: 30_000 });
    expect((await rowOf(callId)).ended_reason).toBe('operator_ended');
  });

  it('for an unknown call is ignored', async () => {
    await outboundCalls.outbound.progress(randomUUID(), 'busy');
  });
});
