import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hang, WebhookReceiver } from '../support/fakes/webhook-receiver.js';
import { CallClient } from '../support/harness/call/call-client.js';
import { type Product, startProduct } from '../support/harness/process/product.js';

/** Timeout for prompt events on a busy machine, in milliseconds. */
const TIMEOUT_MS = 60_000;
const ENV = { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', REQUESTS_PER_MINUTE: '0' };

async function ask(product: Product, method: string, path: string, body?: unknown) {
  const response = await fetch(`${product.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${product.apiKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service responds
  return { status: response.status, body: (await response.json()) as any };
}

async function deployAgent(product: Product, config: object): Promise<string> {
  const { body } = await ask(product, 'POST', '/agent/', { name: 'Pool', config });
  const deployed = await ask(product, 'POST', `/agent/${body.agent_id}/deploy`);
  expect(deployed.status, JSON.stringify(deployed.body)).toBe(200);
  return body.agent_id;
}

/** Starts a call and waits until its greeting is being spoken. */
async function call(product: Product, agentId: string, more: object = {}): Promise<CallClient> {
  const path = '/connection/connection-details';
  const { status: code, body } = await ask(product, 'POST', path, { agent_id: agentId, ...more });
  expect(code, JSON.stringify(body)).toBe(200);
  const client = new CallClient(body);
  await client.connect();
  return client;
}

const eventNames = ({ requests }: WebhookReceiver) => requests.map(({ body }) => body.event);

describe('webhooks', () => {
  let product: Product;
  let hook: WebhookReceiver;
  const clients: CallClient[] = [];
  beforeAll(async () => {
    product = await startProduct({ env: ENV });
  });
  beforeEach(async () => {
    // A receiver per attempt, so that undelivered events of an earlier attempt do not arrive here.
    hook = await WebhookReceiver.open();
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
    hook.close();
  });
  afterAll(() => product?.stop());

  it('report a call from its start to its end, with its turns', async () => {
    const events = ['call.started', 'turn.completed', 'call.completed'];
    const agentId = await deployAgent(product, {
      greeting: 'Hello {{ name }}.',
      webhooks: { events: [{ url: hook.url(), secret: 'hush', events }] },
    });
    const client = await call(product, agentId, { dynamic_variables: { name: 'Ana\n{{x}}' } });
    clients.push(client);
    await client.waitFor('transcript', ({ final }) => final);
    client.hangUp();
    await hook.waitFor(3, TIMEOUT_MS);
    expect(eventNames(hook)).toEqual(events);
    expect(hook.requests[1]!.body.data).toMatchObject({
      role: 'agent',
      text: expect.stringMatching(/^Hello Ana { {x} }/),
    });
    expect(hook.requests[2]!.body.data).toMatchObject({
      ended_reason: 'user_hangup',
      duration_seconds: expect.any(Number),
      transcript_summary: 'The caller said nothing.',
    });
    const transcript = await fetch(hook.requests[2]!.body.data.transcript_uri);
    expect(await transcript.json()).toMatchObject({
      turns: [{ role: 'agent', text: expect.stringMatching(/^Hello Ana/), tools: [] }],
    });
    const { body } = await ask(product, 'GET', `/agent/${agentId}/webhook/deliveries`);
    expect(body.pagination.total_items).toBe(3);
    expect(product.logs()).not.toMatch(/Ana|hush/);
  });

  it('reject variables and overrides that connection-details rejects', async () => {
    const agentId = await deployAgent(product, { tts_params: { language: 'en' } });
    const details = (more: object) =>
      ask(product, 'POST', '/connection/connection-details', { agent_id: agentId, ...more });
    const faultOf = async (more: object) => {
      const { status: code, body } = await details(more);
      expect(code).toBe(422);
      const [{ type, loc }] = body.detail;
      return `${type} ${loc.join('.')}`;
    };
    const tts = (tts_params: object) => ({ agent_overrides: { tts_params } });
    expect(await faultOf({ dynamic_variables: { a: {} } })).toBe(
      'string_type body.dynamic_variables.a',
    );
    expect(await faultOf({ dynamic_variables: { a: null } })).toBe(
      'string_type body.dynamic_variables.a',
    );
    expect(await faultOf({ dynamic_variables: { a: ['x'] } })).toBe(
      'string_type body.dynamic_variables.a',
    );
    expect(await faultOf({ dynamic_variables: 'x' })).toBe('dict_type body.dynamic_variables');
    expect(await faultOf({ dynamic_variables: { '{{': 1 } })).toBe(
      'value_error body.dynamic_variables',
    );
    expect(await faultOf({ dynamic_variables: { a: 'x'.repeat(10_001) } })).toBe(
      'value_error body.dynamic_variables',
    );
    expect(await faultOf({ agent_overrides: { prompt: 'x' } })).toBe(
      'extra_forbidden body.agent_overrides.prompt',
    );
    expect(await faultOf(tts({ speaker: 1 }))).toBe(
      'extra_forbidden body.agent_overrides.tts_params.speaker',
    );
    expect(await faultOf(tts({ language: 'auto' }))).toBe(
      'enum body.agent_overrides.tts_params.language',
    );
    expect(await faultOf(tts({ top_p: 2 }))).toBe(
      'less_than_equal body.agent_overrides.tts_params.top_p',
    );
    const codeOf = async (more: object) => {
      const { status: code, body } = await details(more);
      return `${code} ${body.code}`;
    };
    expect(await codeOf(tts({ voice_id: 'nobody' }))).toBe('404 VOICE_NOT_FOUND');
    expect(await codeOf(tts({ voice_id: 'hibari-heart', language: 'es' }))).toBe(
      '400 VOICE_LANGUAGE_MISMATCH',
    );
    expect(await codeOf(tts({ dictionary_id: 'none' }))).toBe('404 DICTIONARY_NOT_FOUND');
    expect((await details(tts({ voice_id: 'hibari-heart', language: 'en' }))).status).toBe(200);
    expect((await details({ dynamic_variables: { unknown: true } })).status).toBe(200);
  });

  it('deliver all events after the gateway was killed between event and delivery', async () => {
    const agentId = await deployAgent(product, {
      greeting: 'Hello.',
      webhooks: { events: [{ url: hook.url(), timeout: 30 }] },
    });
    hook.answer(hang);
    clients.push(await call(product, agentId));
    const [first] = await hook.waitFor(1, TIMEOUT_MS);
    await product.kill();
    const { dataDir } = product;
    product = await startProduct({ dataDir, env: ENV });
    await hook.waitFor(3, TIMEOUT_MS);
    await sleep(1_500);
    expect(eventNames(hook)).toEqual(['call.started', 'call.started', 'call.completed']);
    expect(hook.requests[1]!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(hook.requests[1]!.text).toBe(first!.text);
    expect(hook.requests[2]!.body.data.ended_reason).toBe('error_transport');
  });
});
