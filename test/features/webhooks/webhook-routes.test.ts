import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import {
  closeEarly,
  gigabyte,
  hang,
  status,
  WebhookReceiver,
} from '../../support/fakes/webhook-receiver.js';
import type { Ask } from '../../support/harness/app/control-plane-app.js';
import { withWebhookApp } from '../../support/harness/app/webhook-app.js';
import { StoredWebhookCalls } from '../../support/harness/call/webhook-calls.js';

/** Timeout in seconds of a webhook that does not respond; others use the default. */
const HANGING = { timeout: 1 };

const app = withWebhookApp();
let hook: WebhookReceiver;
let ask: Ask;
beforeAll(async () => {
  hook = await WebhookReceiver.open();
});
beforeEach(async () => {
  hook.requests.length = 0;
  hook.answer();
  ask = await app.asNewAccount();
});
afterAll(() => hook.close());

/** Creates an agent and returns its ID. */
async function create(config: object): Promise<string> {
  const created = await ask('POST', '/agent/', { name: 'Pool', config });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  return created.body.agent_id;
}

async function agentOf(id: string) {
  const row = await app.database.db('agents').where({ id }).first();
  return (await new AgentsRepository(app.database.db).find(row.account_id, id))!;
}

describe('POST /agent/{id}/webhook/test-inbound-call', () => {
  const test = (id: string) => ask('POST', `/agent/${id}/webhook/test-inbound-call`);
  const create1 = (more: object = {}) =>
    create({
      prompt: 'You talk to {{ name }}, {{age}}.',
      greeting: 'Hello {{name}}{{mark}}',
      tts_params: { voice_id: 'ada', language: 'en', temperature: 0.5 },
      webhooks: { inbound_call: { url: hook.url(), secret: 'hush', timeout: 20, ...more } },
    });

  it('sends a sample call and returns the variables and overrides that a call would use', async () => {
    const reply = {
      dynamic_variables: { name: 'Ana', age: 44, mark: true },
      agent_overrides: { tts_params: { voice_id: 'eva', language: 'es' } },
    };
    hook.answer(status(200, reply));
    const id = await create1();
    const { status: code, body } = await test(id);
    expect(code).toBe(200);
    const payload = {
      agent_id: id,
      call_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      from_number: '+12025550100',
      to_number: '+12025550101',
    };
    expect(body).toEqual({
      status: 'success',
      message: expect.any(String),
      webhook_url: hook.url(),
      request_payload: payload,
      raw_response: reply,
      validated_response: {
        dynamic_variables: reply.dynamic_variables,
        agent_overrides: {
          tts_params: {
            voice_id: 'eva',
            language: 'es',
            temperature: 0.5,
            top_p: 0.8,
            dictionary_id: null,
            dictionary_version: null,
          },
        },
      },
    });
    const [{ headers, text, body: sent }] = hook.requests as [(typeof hook.requests)[0]];
    expect(sent).toEqual(payload);
    const signed = `${headers['x-webhook-timestamp']}.${text}`;
    const hmac = createHmac('sha256', 'hush').update(signed).digest('hex');
    expect(headers['x-webhook-signature']).toBe(hmac);
    expect(headers['webhook-signature']).toMatch(/^v1,/);
  });

  it.each([
    ['{}', {}],
    ['nulls', { dynamic_variables: null, agent_overrides: null }],
    ['no voice', { agent_overrides: { tts_params: null } }],
    ['an additional key', { note: 'x' }],
    ['a dictionary', { agent_overrides: { tts_params: { dictionary_id: 'dic' } } }],
  ])('accepts %s as a response', async (_, reply) => {
    hook.answer(status(200, reply));
    const { body } = await test(await create1());
    expect(body).toMatchObject({ status: 'success', raw_response: reply });
    expect(body).not.toHaveProperty('error');
  });

  const overriding = (tts_params: object) => ({ agent_overrides: { tts_params } });
  it.each<[string, unknown, RegExp]>([
    ['a variable without a placeholder', { dynamic_variables: { nobody: 1 } }, /"nobody"/],
    ['a nested variable', { dynamic_variables: { name: { a: 1 } } }, /dynamic_variables\.name/],
    ['a null variable', { dynamic_variables: { name: null } }, /dynamic_variables\.name/],
    ['a list of variables', { dynamic_variables: [] }, /dynamic_variables/],
    ['tts_params.speaker', overriding({ speaker: 1 }), /speaker: Extra inputs/],
    ['another part of the config', { agent_overrides: { prompt: 'x' } }, /prompt: Extra inputs/],
    ['an unknown voice', overriding({ voice_id: 'nobody' }), /voice/],
    ['a voice that is not installed', overriding({ voice_id: 'far' }), /not installed/],
    ['a cloned voice that cannot speak', overriding({ voice_id: 'mine' }), /cannot be used/],
    ['an unknown language', overriding({ language: 'xx' }), /language/],
    ['a language that the voice lacks', overriding({ language: 'es' }), /does not speak es/],
    ['a voice that lacks the language', overriding({ voice_id: 'eva' }), /does not speak en/],
    ['an unknown dictionary', overriding({ dictionary_id: 'none' }), /dictionary/],
    ['a temperature of 3', overriding({ temperature: 3 }), /temperature/],
    ['a list', [], /not a JSON object/],
    ['no JSON', 'hello', /not a JSON object/],
  ])('fails for %s', async (_, reply, error) => {
    hook.answer(status(200, reply));
    const { status: code, body } = await test(await create1());
    expect(code).toBe(200);
    expect(body).toMatchObject({ status: 'failed', validated_response: {} });
    expect(body.error).toMatch(error);
  });

  it.each([
    ['500', status(500), /status 500/],
    ['a redirect', status(302, '', { location: 'http://127.0.0.1/' }), /status 302/],
    ['silence', hang, /in time/],
    ['a gigabyte', gigabyte({ bytes: 0 }), /longer than/],
    ['half an answer', closeEarly, /closed/],
  ])('fails for %s', async (_, answering, error) => {
    hook.answer(answering);
    const { status: code, body } = await test(await create1(answering === hang ? HANGING : {}));
    expect(code).toBe(200);
    expect(body.status).toBe('failed');
    expect(body.error).toMatch(error);
    expect(hook.requests).toHaveLength(1);
  });

  it('also tests a disabled webhook', async () => {
    hook.answer(status(200, {}));
    const { body } = await test(await create1({ enabled: false }));
    expect(body.status).toBe('success');
    expect(hook.requests).toHaveLength(1);
  });

  it('returns 404 without such a webhook and for another account', async () => {
    const id = await create({});
    expect(await test(id)).toMatchObject({ status: 404, body: { code: 'WEBHOOK_NOT_FOUND' } });
    const other = await app.asNewAccount();
    const theirs = await other('POST', `/agent/${id}/webhook/test-inbound-call`);
    expect(theirs).toMatchObject({ status: 404, body: { code: 'AGENT_NOT_FOUND' } });
  });
});

describe('inbound call webhook', () => {
  const call = { callId: 'c1', fromNumber: '+14155550100', toNumber: '+14155550101' };
  const lookUp = async (config: object = {}) => {
    const inbound_call = { url: hook.url(), timeout: 20, ...config };
    const id = await create({ greeting: 'Hello {{name}}', webhooks: { inbound_call } });
    return app.webhooks().inboundWebhooks.optionsFor(await agentOf(id), call);
  };

  it('returns the variables and overrides of the response', async () => {
    const reply = {
      dynamic_variables: { name: 'Ana', unknown: 1 },
      agent_overrides: { tts_params: { top_p: 0.1 } },
    };
    hook.answer(status(200, reply));
    expect(await lookUp()).toEqual(reply);
    expect(hook.requests[0]!.body).toMatchObject({
      call_id: 'c1',
      from_number: '+14155550100',
      to_number: '+14155550101',
    });
  });

  it('treats null as the saved value', async () => {
    const saved = { voice_id: null, language: null, temperature: null, dictionary_id: null };
    const tts_params = { ...saved, dictionary_version: null, top_p: 0.1 };
    hook.answer(status(200, { agent_overrides: { tts_params } }));
    expect(await lookUp()).toEqual({ agent_overrides: { tts_params: { top_p: 0.1 } } });
  });

  it.each([
    ['500', status(500), /status 500/],
    ['silence', hang, /in time/],
    ['nonsense', status(200, { agent_overrides: { x: 1 } }), /agent_overrides\.x/],
    [
      'an unknown voice',
      status(200, { agent_overrides: { tts_params: { voice_id: 'x' } } }),
      /voice/,
    ],
  ])('falls back to the saved config after %s, with a reason', async (_, answering, error) => {
    hook.answer(answering);
    const lookupResult = await lookUp(answering === hang ? HANGING : {});
    expect(lookupResult).toEqual({ inbound_call_error: expect.stringMatching(error) });
  });

  it('is not requested if it is missing or disabled', async () => {
    expect(await lookUp({ enabled: false })).toEqual({});
    expect(hook.requests).toEqual([]);
  });
});

describe('POST /agent/{id}/webhook/test-event', () => {
  const test = (id: string, url: unknown) =>
    ask('POST', `/agent/${id}/webhook/test-event`, { url });

  it('sends a signed event "test" to the entry', async () => {
    const entry = { url: hook.url(), secret: 'hush' };
    const id = await create({ webhooks: { events: [entry, { url: hook.url('/other') }] } });
    const { body } = await test(id, hook.url());
    expect(body).toMatchObject({
      status: 'success',
      webhook_url: hook.url(),
      request_payload: { event: 'test', agent_id: id, call_id: null, data: { call_type: 'web' } },
    });
    expect(hook.requests).toHaveLength(1);
    expect(hook.requests[0]!.body).toEqual(body.request_payload);
    expect(hook.requests[0]!.headers['x-webhook-signature']).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['500', status(500)],
    ['410', status(410)],
    ['silence', hang],
  ])('fails for %s', async (_, answering) => {
    hook.answer(answering);
    const id = await create({ webhooks: { events: [{ url: hook.url(), timeout: 1 }] } });
    expect((await test(id, hook.url())).body).toMatchObject({
      status: 'failed',
      error: expect.any(String),
    });
  });

  it.each([{ enabled: false }, { events: ['call.started'] }])(
    'also sends to the entry %j',
    async (more) => {
      const id = await create({ webhooks: { events: [{ url: hook.url(), ...more }] } });
      expect((await test(id, hook.url())).body.status).toBe('success');
      expect(hook.requests).toHaveLength(1);
    },
  );

  it('sends only to addresses of entries', async () => {
    const id = await create({ webhooks: { events: [] } });
    expect(await test(id, hook.url())).toMatchObject({
      status: 404,
      body: { code: 'WEBHOOK_NOT_FOUND' },
    });
    expect((await test(id, 7)).status).toBe(422);
    expect(hook.requests).toEqual([]);
  });
});

describe('deliveries of an agent', () => {
  async function deliverEvents(count: number) {
    const id = await create({ webhooks: { events: [{ url: hook.url(), secret: 'hush' }] } });
    const agent = await agentOf(id);
    const calls = new StoredWebhookCalls(app.database.db, app.webhooks().events);
    const callIds: string[] = [];
    for (let index = 0; index < count; index++) {
      callIds.push(await calls.start(agent));
      // Separate calls have separate lanes, which keeps the order of the scripted responses.
      await hook.waitFor(index + 1);
    }
    const path = `/agent/${id}/webhook/deliveries`;
    await expect
      .poll(async () => (await ask('GET', `${path}?status=pending`)).body.items.length)
      .toBe(0);
    return { id, path, callIds };
  }

  it('are listed, newest first, without their payload', async () => {
    hook.answer(status(400));
    const { path, callIds } = await deliverEvents(3);
    const { body } = await ask('GET', `${path}?limit=2`);
    expect(body.pagination).toMatchObject({ total_items: 3, total_pages: 2, has_next: true });
    expect(body.items.map(({ call_id }: { call_id: string }) => call_id)).toEqual(
      callIds.slice(1).reverse(),
    );
    expect(body.items[0]).toEqual({
      delivery_id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      event: 'call.started',
      call_id: callIds[2],
      url: hook.url(),
      status: 'delivered',
      attempts: 1,
      last_status_code: 200,
      last_error: null,
      created_at: expect.stringMatching(/Z$/),
      next_attempt_at: null,
      finished_at: expect.stringMatching(/Z$/),
    });
    const failed = await ask('GET', `${path}?status=failed`);
    expect(failed.body.items).toMatchObject([
      {
        status: 'failed',
        last_status_code: 400,
        last_error: 'The receiver responded with status 400',
      },
    ]);
    const ofOne = await ask('GET', `${path}?call_id=${callIds[1]}&event=call.started`);
    expect(ofOne.body.pagination.total_items).toBe(1);
    expect((await ask('GET', `${path}?status=lost`)).status).toBe(422);
    expect((await ask('GET', `${path}?call_id=nonsense`)).body.items).toEqual([]);
  });

  it('are repeated with the same ID and body', async () => {
    hook.answer(status(400));
    const { path } = await deliverEvents(1);
    const [{ delivery_id }] = (await ask('GET', path)).body.items;
    const replayed = await ask('POST', `${path}/${delivery_id}/replay`);
    expect(replayed).toMatchObject({ status: 200, body: { status: 'pending', attempts: 0 } });
    const [first, second] = await hook.waitFor(2);
    expect(second!.headers['webhook-id']).toBe(delivery_id);
    expect(second!.text).toBe(first!.text);
    await expect.poll(async () => (await ask('GET', path)).body.items[0].status).toBe('delivered');
  });

  it('belong to their agent and account', async () => {
    const { id, path } = await deliverEvents(1);
    const [{ delivery_id }] = (await ask('GET', path)).body.items;
    const other = await app.asNewAccount();
    expect((await other('GET', path)).status).toBe(404);
    expect((await other('POST', `${path}/${delivery_id}/replay`)).status).toBe(404);
    const second = await create({});
    const strange = `/agent/${second}/webhook/deliveries`;
    expect((await ask('GET', strange)).body.items).toEqual([]);
    expect(await ask('POST', `${strange}/${delivery_id}/replay`)).toMatchObject({
      status: 404,
      body: { code: 'DELIVERY_NOT_FOUND' },
    });
    expect((await ask('POST', `/agent/${id}/webhook/deliveries/msg_0/replay`)).status).toBe(404);
  });

  it('require the scope agents', async () => {
    const { path } = await deliverEvents(1);
    const weak = app.askAs(await app.makeKey(await app.makeAccount(), ['calls']));
    expect((await weak('GET', path)).status).toBe(403);
    expect((await app.askAs(null)('GET', path)).status).toBe(401);
  });
});
