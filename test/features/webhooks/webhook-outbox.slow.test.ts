import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createWebhooksModule,
  type WebhooksModule,
} from '../../../src/composition/webhooks.module.js';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import { DeliveriesRepository } from '../../../src/features/webhooks/deliveries.repository.js';
import { connect } from '../../../src/platform/db/connect.js';
import { SecretBox } from '../../../src/platform/secrets/secret-box.js';
import { SecretKeys } from '../../../src/platform/secrets/secret-keys.js';
import {
  closeEarly,
  closeImmediately,
  gigabyte,
  hang,
  status,
  WebhookReceiver,
} from '../../support/fakes/webhook-receiver.js';
import { OVERRIDES } from '../../support/harness/app/webhook-app.js';
import { makeAgent, StoredWebhookCalls } from '../../support/harness/call/webhook-calls.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';

const database = withDatabase({ emptied: 'before-each' });
const box = new SecretBox(new SecretKeys(['the secret of the tests']));
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const BACKOFF_MS = [60, 120];

interface Options {
  readonly log?: Logger;
  readonly allowedHosts?: readonly string[];
  readonly isAlone?: boolean;
}

async function gateway(options: Options = {}): Promise<WebhooksModule> {
  const db = connect(database.connection);
  const webhooks = createWebhooksModule({
    db,
    box,
    agents: new AgentsRepository(db),
    overrides: OVERRIDES,
    log: options.log ?? pino({ level: 'silent' }),
    allowedHosts: options.allowedHosts ?? ['127.0.0.1'],
    backoffMs: BACKOFF_MS,
    pollMs: 100,
  });
  await webhooks.start({ isAlone: options.isAlone ?? true });
  closers.push(async () => {
    await webhooks.close();
    await db.destroy();
  });
  return webhooks;
}

async function receiver(): Promise<WebhookReceiver> {
  const opened = await WebhookReceiver.open();
  closers.push(() => opened.close());
  return opened;
}

/** The agent's deliveries, oldest first, once none is pending. */
async function settled(agentId: string) {
  const rows = () => database.db('webhook_deliveries').where({ agent_id: agentId }).orderBy('id');
  for (const until = Date.now() + 25_000; Date.now() < until; ) {
    const all = await rows();
    if (all.length > 0 && all.every(({ status }) => status !== 'pending')) return all;
    await sleep(20);
  }
  throw new Error(`Deliveries still wait: ${JSON.stringify(await rows())}`);
}

const eventsOf = ({ requests }: WebhookReceiver) => requests.map(({ body }) => body.event);

describe('webhook outbox', () => {
  it('delivers the start and the end of a call, in order, with both signatures', async () => {
    const { events } = await gateway();
    const hook = await receiver();
    const agent = await makeAgent(database.db, box, [{ url: hook.url(), secret: 'hush' }]);
    const calls = new StoredWebhookCalls(database.db, events);
    const callId = await calls.start(agent);
    await calls.end(callId);
    const [started, completed] = await hook.waitFor(2);
    expect(started!.body).toEqual({
      event: 'call.started',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      call_id: callId,
      agent_id: agent.id,
      data: { call_type: 'web', started_at: expect.stringMatching(/Z$/) },
    });
    expect(completed!.body).toMatchObject({
      event: 'call.completed',
      call_id: callId,
      data: {
        call_type: 'web',
        duration_seconds: expect.any(Number),
        credits_used: 0,
        transcript_uri: null,
        transcript_summary: null,
        ended_reason: 'user_hangup',
      },
    });
    for (const { headers, text } of [started!, completed!]) {
      const at = String(headers['x-webhook-timestamp']);
      const hmac = (signed: string) => createHmac('sha256', 'hush').update(signed);
      expect(headers['x-webhook-signature']).toBe(hmac(`${at}.${text}`).digest('hex'));
      const standard = hmac(`${headers['webhook-id']}.${at}.${text}`).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${standard}`);
      expect(Math.abs(Number(at) - Date.now() / 1_000)).toBeLessThan(10);
    }
    expect(started!.headers['webhook-id']).not.toBe(completed!.headers['webhook-id']);
  });

  it('delivers to each entry only its selected events', async () => {
    const { events } = await gateway();
    const hook = await receiver();
    const agent = await makeAgent(database.db, box, [
      { url: hook.url('/default') },
      { url: hook.url('/failed'), events: ['call.failed'] },
      { url: hook.url('/turns'), events: ['turn.completed'] },
      { url: hook.url('/off'), enabled: false },
    ]);
    const calls = new StoredWebhookCalls(database.db, events);
    const callId = await calls.start(agent);
    await calls.turn(callId, 0, 'agent', 'Good day');
    await calls.turn(callId, 1, 'user', 'Who is');
    await calls.turn(callId, 1, 'user', 'Who is there?');
    await calls.turn(callId, 2, 'agent', 'I am');
    await calls.turn(callId, 3, 'user', 'Bye');
    await calls.end(callId, 'error_asr');
    await settled(agent.id);
    const eventsAt = (path: string) =>
      hook.requests.filter((each) => each.path === path).map(({ body }) => body);
    expect(eventsAt('/default').map(({ event }) => event)).toEqual([
      'call.started',
      'call.completed',
    ]);
    expect(eventsAt('/failed').map(({ event, data }) => [event, data.ended_reason])).toEqual([
      ['call.failed', 'error_asr'],
    ]);
    expect(
      eventsAt('/turns').map(({ data }) => `${data.index} ${data.role}: ${data.text}`),
    ).toEqual(['0 agent: Good day', '1 user: Who is there?', '2 agent: I am', '3 user: Bye']);
    expect(eventsAt('/off')).toEqual([]);
  });

  it('delivers each tool call once, with the index of its turn', async () => {
    const { events } = await gateway();
    const hook = await receiver();
    const entry = { url: hook.url(), events: ['tool.called' as const] };
    const agent = await makeAgent(database.db, box, [entry]);
    const calls = new StoredWebhookCalls(database.db, events);
    const callId = await calls.start(agent);
    const toolCall = {
      name: 'look',
      kind: 'webhook',
      arguments: '{"day":"Monday"}',
      result: 'Open.',
      startedMs: 100.4,
      durationMs: 30,
      outcome: 'ok',
    } as const;
    await calls.turn(callId, 0, 'agent', 'We are open', [toolCall]);
    await calls.turn(callId, 0, 'agent', 'We are open', [
      toolCall,
      { ...toolCall, outcome: 'refused' },
    ]);
    await calls.end(callId);
    await settled(agent.id);
    expect(hook.requests.map(({ body }) => body.data.outcome)).toEqual(['ok', 'refused']);
    expect(hook.requests[0]!.body.data).toEqual({
      call_type: 'web',
      turn_index: 0,
      name: 'look',
      kind: 'webhook',
      arguments: { day: 'Monday' },
      result: 'Open.',
      outcome: 'ok',
      started_ms: 100,
      duration_ms: 30,
    });
  });

  it('delivers nothing for a call that never started, except for its failure', async () => {
    const { events } = await gateway();
    const hook = await receiver();
    const all = ['call.started', 'call.completed', 'call.failed'] as const;
    const agent = await makeAgent(database.db, box, [{ url: hook.url(), events: [...all] }]);
    const calls = new StoredWebhookCalls(database.db, events);
    await calls.end(await calls.begin(agent), 'user_hangup');
    await calls.end(await calls.begin(agent), 'error_transport');
    await settled(agent.id);
    expect(eventsOf(hook)).toEqual(['call.failed']);
  });

  it('delivers an end once, however often it is stored', async () => {
    const { events } = await gateway();
    const hook = await receiver();
    const agent = await makeAgent(database.db, box, [{ url: hook.url() }]);
    const calls = new StoredWebhookCalls(database.db, events);
    const callId = await calls.start(agent);
    await Promise.all(Array.from({ length: 5 }, () => calls.end(callId)));
    await settled(agent.id);
    expect(eventsOf(hook)).toEqual(['call.started', 'call.completed']);
  });

  it('stores no event if the transaction of its cause is rolled back', async () => {
    const deliveries = new DeliveriesRepository(database.db);
    const agent = await makeAgent(database.db, box, [{ url: 'https://hook.test/' }]);
    const calls = new StoredWebhookCalls(database.db, {
      record: async (transaction) => {
        const row = { agent_id: agent.id, account_id: agent.accountId, call_id: null };
        const rest = { event: 'x', url: 'x', lane: 'x', body: '{}' };
        await deliveries.add(transaction, [{ delivery_id: 'msg_1', ...row, ...rest }]);
        throw new Error('the machine went away');
      },
    });
    await expect(calls.start(agent)).rejects.toThrow('went away');
    expect(await database.db('webhook_deliveries')).toEqual([]);
    expect(await database.db('calls').whereNotNull('started_at')).toEqual([]);
    const { rows } = await database.db.raw('select * from graphile_worker.jobs');
    expect(rows).toEqual([]);
  });

  it.each([
    ['500', status(500), 20],
    ['429', status(429), 20],
    ['no answer in time', hang, 1],
    ['a closed connection', closeImmediately, 20],
  ])('retries after %s, with the same ID and body', async (_, answering, timeout) => {
    const { events } = await gateway();
    const hook = await receiver();
    hook.answer(answering);
    const agent = await makeAgent(database.db, box, [{ url: hook.url(), timeout }]);
    const calls = new StoredWebhookCalls(database.db, events);
    await calls.end(await calls.start(agent));
    const [first, second, third] = await hook.waitFor(3);
    expect(second!.text).toBe(first!.text);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    // The next event of the call has waited.
    expect(third!.body.event).toBe('call.completed');
    const [delivery] = await settled(agent.id);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 2, last_status_code: 200 });
  });

  it('gives up after three attempts and continues with the call', async () => {
    const { events } = await gateway();
    const hook = await receiver();
    hook.answer(status(500), status(503), status(500));
    const agent = await makeAgent(database.db, box, [{ url: hook.url() }]);
    const calls = new StoredWebhookCalls(database.db, events);
    await calls.end(await calls.start(agent));
    const [lost, kept] = await settled(agent.id);
    expect(lost).toMatchObject({ status: 'failed', attempts: 3, last_status_code: 500 });
    expect(lost.last_error).toBe('The receiver responded with status 500');
    expect(kept).toMatchObject({ status: 'delivered', attempts: 1 });
    const times = hook.requests.map(({ atMs }) => atMs);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(BACKOFF_MS[0]! * 0.75 - 5);
    expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(BACKOFF_MS[1]! * 0.75 - 5);
  });

  it('waits as long as Retry-After demands', async () => {
    const { events } = await gateway();
    const hook = await receiver();
    hook.answer(status(503, {}, { 'retry-after': '1' }));
    const agent = await makeAgent(database.db, box, [{ url: hook.url() }]);
    await new StoredWebhookCalls(database.db, events).start(agent);
    const [first, second] = await hook.waitFor(2);
    expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(990);
  });

  it.each([302, 307, 400, 404])('does not retry after %i', async (code) => {
    const { events } = await gateway();
    const hook = await receiver();
    hook.answer(status(code, '', { location: hook.url('/elsewhere') }));
    const agent = await makeAgent(database.db, box, [{ url: hook.url() }]);
    await new StoredWebhookCalls(database.db, events).start(agent);
    const [delivery] = await settled(agent.id);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 1, last_status_code: code });
    expect(hook.requests).toHaveLength(1);
  });

  it('disables an entry that answers 410, and sends nothing more to it', async () => {
    const { events } = await gateway();
    const hook = await receiver();
    let answer = () => undefined as unknown;
    hook.answer((response, request) => {
      answer = () => status(410)(response, request);
    });
    const agent = await makeAgent(database.db, box, [{ url: hook.url(), secret: 'hush' }]);
    const calls = new StoredWebhookCalls(database.db, events);
    const callId = await calls.start(agent);
    await hook.waitFor(1);
    await calls.end(callId);
    answer();
    const statuses = (await settled(agent.id)).map((each) => each.status);
    expect(statuses).toEqual(['failed', 'cancelled']);
    const after = await new AgentsRepository(database.db).find(agent.accountId, agent.id);
    expect(after?.config.webhooks?.events).toEqual([
      { ...agent.config.webhooks!.events![0], enabled: false },
    ]);
    expect(after?.version).toBe(2);
    expect(hook.requests).toHaveLength(1);
  });

  it.each([
    ['a gigabyte', gigabyte({ bytes: 0 })],
    ['a truncated body', closeEarly],
    [
      'a body that never ends',
      (response: { writeHead(code: number): { write(text: string): void } }) =>
        response.writeHead(200).write('…'),
    ],
  ])('treats 200 with %s as success', async (_, answering) => {
    const { events } = await gateway();
    const hook = await receiver();
    hook.answer(answering);
    const agent = await makeAgent(database.db, box, [{ url: hook.url(), timeout: 30 }]);
    await new StoredWebhookCalls(database.db, events).start(agent);
    expect(await settled(agent.id)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });

  it('sends nothing to a private address that is not allowed', async () => {
    const { events } = await gateway({ allowedHosts: [] });
    const hook = await receiver();
    const url = hook.url().replace('http:', 'https:');
    const agent = await makeAgent(database.db, box, [{ url }]);
    await new StoredWebhookCalls(database.db, events).start(agent);
    const [delivery] = await settled(agent.id);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 1, last_status_code: null });
    expect(delivery.last_error).toMatch(/not on the public Internet/);
    expect(hook.requests).toEqual([]);
  });

  it('does not delay other addresses while one hangs', async () => {
    const { events } = await gateway();
    const [slow, quick] = [await receiver(), await receiver()];
    slow.answer(hang);
    const urls = [{ url: slow.url(), timeout: 30 }, { url: quick.url() }];
    const agent = await makeAgent(database.db, box, urls);
    const calls = new StoredWebhookCalls(database.db, events);
    await calls.end(await calls.start(agent));
    await quick.waitFor(2);
    await slow.waitFor(1);
    expect(slow.requests).toHaveLength(1);
  });

  it('delivers each event once, and each call in order, with two gateways', async () => {
    const [one, two] = [await gateway({ isAlone: false }), await gateway({ isAlone: false })];
    const hook = await receiver();
    const agent = await makeAgent(database.db, box, [{ url: hook.url() }]);
    const sides = [one, two].map(({ events }) => new StoredWebhookCalls(database.db, events));
    const ids = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const calls = sides[index % 2]!;
        const callId = await calls.start(agent);
        await calls.end(callId);
        return callId;
      }),
    );
    await settled(agent.id);
    expect(hook.requests).toHaveLength(80);
    for (const callId of ids) {
      const eventsAt = hook.requests.filter(({ body }) => body.call_id === callId);
      expect(eventsAt.map(({ body }) => body.event)).toEqual(['call.started', 'call.completed']);
    }
  });

  it('continues the deliveries of a gateway that died while sending', async () => {
    const hook = await receiver();
    const agent = await makeAgent(database.db, box, [{ url: hook.url() }]);
    const deliveries = new DeliveriesRepository(database.db);
    const row = { delivery_id: 'msg_9', account_id: agent.accountId, agent_id: agent.id };
    const rest = { call_id: null, event: 'test', url: hook.url(), lane: 'a', body: '{}' };
    await database.db('webhook_deliveries').insert({ ...row, ...rest });
    // Its job is gone, and its claim lasts longer than this test.
    expect(await deliveries.claim((await deliveries.next('a'))!.id, 60_000)).toBe(true);
    await gateway({ isAlone: true });
    expect((await hook.waitFor(1))[0]!.headers['webhook-id']).toBe('msg_9');
  });

  it('finds deliveries without a job once their claim has expired', async () => {
    const hook = await receiver();
    const agent = await makeAgent(database.db, box, [{ url: hook.url() }]);
    const deliveries = new DeliveriesRepository(database.db);
    const row = { delivery_id: 'msg_8', account_id: agent.accountId, agent_id: agent.id };
    const rest = { call_id: null, event: 'test', url: hook.url(), lane: 'b', body: '{}' };
    const due = database.db.raw(`now() - interval '10 s'`);
    await database.db('webhook_deliveries').insert({ ...row, ...rest, due_at: due });
    expect(await deliveries.claim((await deliveries.next('b'))!.id, 60_000)).toBe(true);
    await gateway({ isAlone: false });
    await deliveries.sweep();
    await sleep(200);
    expect(hook.requests).toEqual([]);
    const now = database.db.fn.now();
    await database.db('webhook_deliveries').where({ lane: 'b' }).update({ claimed_until: now });
    await deliveries.sweep();
    await hook.waitFor(1);
  });

  it('logs no text, numbers, secrets or addresses', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const { events } = await gateway({ log });
    const hook = await receiver();
    hook.answer(status(500), status(400), status(410));
    const names = ['call.started', 'turn.completed', 'call.completed'] as const;
    const url = hook.url('/hook?token=hunter2');
    const entry = { url, secret: 'whsec_aHVzaA==', events: [...names] };
    const agent = await makeAgent(database.db, box, [entry]);
    const calls = new StoredWebhookCalls(database.db, events);
    const callId = await calls.begin(agent);
    const numbers = { from_number: '+14155550100', to_number: '+14155550101' };
    await database.db('calls').where({ call_id: callId }).update(numbers);
    await calls.turn(callId, 0, 'agent', 'My word');
    await calls.turn(callId, 1, 'agent', 'My word');
    await calls.end(callId);
    await settled(agent.id);
    expect(lines.join('')).toContain('Cannot deliver a webhook');
    expect(lines.join('')).not.toMatch(/My word|\+1415|aHVzaA|hunter2|127\.0\.0\.1/);
  });
});
