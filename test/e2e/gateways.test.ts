import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CallsRepository } from '../../src/calls/store/calls.repository.js';
import { AccountsRepository } from '../../src/features/auth/accounts.repository.js';
import { makeApiKey } from '../../src/features/auth/api-key.js';
import { ApiKeysRepository } from '../../src/features/auth/api-keys.repository.js';
import { urlOf } from '../../src/platform/db/connect.js';
import { status, WebhookReceiver } from '../support/fakes/webhook-receiver.js';
import { ask, makeAgent, requestConnection } from '../support/harness/call/call-agents.js';
import { CallClient, type ConnectionDetails } from '../support/harness/call/call-client.js';
import { EventReader } from '../support/harness/call/event-stream-client.js';
import { withDatabase } from '../support/harness/postgres/test-database.js';
import { type Product, startProduct } from '../support/harness/process/product.js';

const SLOTS = 40;
const REQUESTS = 250;
/**
 * A dead gateway ends its calls after 15 s of silence and is detected within 5 s; twice that on a
 * busy machine.
 */
const CALLS_END_WITHIN_MS = 40_000;
/** The timeout of 0 disables the inactivity prompts, which a slow machine could trigger. */
const QUIET = { greeting: '', user_silence_timeout: 0 } as const;

const clients: CallClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

async function connected(details: ConnectionDetails): Promise<CallClient> {
  const client = new CallClient(details);
  clients.push(client);
  await client.connect();
  return client;
}

async function end(gateway: Product, { call_id, end_token }: ConnectionDetails) {
  const response = await fetch(`${gateway.url}/api/v1/calls/${call_id}/end`, {
    method: 'POST',
    headers: { authorization: `Bearer ${end_token}` },
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service responds
  return { status: response.status, body: (await response.json()) as any };
}

describe('two gateways on one database', () => {
  const database = withDatabase();
  let one: Product;
  let two: Product;
  const start = () =>
    startProduct({
      env: {
        OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
        CONCURRENT_CALLS: String(SLOTS),
        REQUESTS_PER_MINUTE: String(REQUESTS),
        DATABASE_URL: urlOf(database.connection),
        SECRET_KEY: 'the secret of both gateways',
      },
    });
  beforeAll(async () => {
    one = await start();
    two = await start();
  });
  afterAll(async () => {
    await one?.stop();
    await two?.stop();
  });

  /** Both gateways, with the key of a new account. */
  async function asNewAccount(): Promise<[Product, Product]> {
    const accountId = await new AccountsRepository(database.db).insert('An account of a test');
    const key = makeApiKey();
    const fields = { name: 'test', description: null, isActive: true, expiresAt: null };
    const scopes = ['*'] as const;
    await new ApiKeysRepository(database.db).insert(accountId, key, { ...fields, scopes });
    return [
      { ...one, apiKey: key.text },
      { ...two, apiKey: key.text },
    ];
  }

  it('deliver each event once', async ({ onTestFinished }) => {
    const [first, second] = await asNewAccount();
    const hook = await WebhookReceiver.open();
    onTestFinished(() => hook.close());
    hook.answer(status(503, {}, { 'retry-after': '1' }));
    const agentId = await makeAgent(first, {
      webhooks: { events: [{ url: hook.url(), events: [], timeout: 5, enabled: true }] },
    });
    for (const gateway of [first, second, first, second]) {
      const client = await connected(await requestConnection(gateway, agentId));
      client.hangUp();
      await client.waitFor('end');
    }
    // Eight events, and one repetition after a failed delivery.
    await hook.waitFor(9, 30_000);
    await sleep(1_500);
    expect(hook.requests).toHaveLength(9);
    const ids = new Set(hook.requests.map(({ headers }) => headers['webhook-id']));
    expect(ids.size).toBe(8);
  });

  it('admit exactly as many calls as there are slots in a burst of 100', async () => {
    const gateways = await asNewAccount();
    const agentId = await makeAgent(gateways[0], {});
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        ask(gateways[i % 2]!, 'POST', '/connection/connection-details', { agent_id: agentId }),
      ),
    );
    const refused = answers.filter(({ status: code }) => code !== 200);
    expect(answers.length - refused.length).toBe(SLOTS);
    for (const { status: code, body } of refused) {
      expect([code, body.reason]).toEqual([403, 'concurrency_limit']);
    }
  });

  it('end a call that runs on the other gateway', async () => {
    const [first, second] = await asNewAccount();
    const details = await requestConnection(first, await makeAgent(first, { greeting: 'Hello.' }));
    const client = await connected(details); // runs on the first gateway
    const answer = await end(second, details);
    expect(answer).toMatchObject({ status: 200, body: { status: 'ended' } });
    expect((await client.waitFor('end')).reason).toBe('user_hangup');
    expect(await client.closed()).toBe(1000);
    const calls = new CallsRepository(database.db, 0);
    expect((await calls.find(details.call_id))?.ended_reason).toBe('user_hangup');
    expect((await end(first, details)).body).toEqual(answer.body);
  });

  it('show, speak into and end a call that runs on the other gateway', async () => {
    const [first, second] = await asNewAccount();
    const details = await requestConnection(first, await makeAgent(first, { greeting: 'Hello.' }));
    const client = await connected(details);
    const watched = `${second.url}/api/v1/calls/${details.call_id}/live`;
    const reader = await EventReader.open(watched, { key: second.apiKey });
    await reader.waitFor('turn', ({ text }) => text === 'Hello.');
    const text = 'A colleague takes over.';
    const said = await ask(second, 'POST', `/calls/${details.call_id}/say`, { text });
    expect(said).toMatchObject({ status: 200, body: { status: 'queued' } });
    await client.waitFor(
      'transcript',
      (transcript) => transcript.final && transcript.text === text,
    );
    await reader.waitFor(
      'transcript',
      (transcript) => transcript.final && transcript.text === text,
    );
    await reader.waitFor('turn', (turn) => turn.role === 'agent' && turn.text === text);
    const audioResponse = fetch(`${second.url}/api/v1/calls/${details.call_id}/audio`, {
      headers: { authorization: `Bearer ${second.apiKey}` },
    });
    expect((await audioResponse).headers.get('content-type')).toBe('audio/mpeg');
    const listened = (await audioResponse).body!.getReader();
    const { value: bytes } = await listened.read();
    expect(Buffer.from(bytes!).readUInt16BE(0) & 0xffe0).toBe(0xffe0);
    const answer = await ask(second, 'POST', `/calls/${details.call_id}/end`);
    expect(answer).toMatchObject({ status: 200, body: { status: 'ended' } });
    expect((await client.waitFor('end')).reason).toBe('operator_ended');
    expect((await reader.waitFor('ended')).data.reason).toBe('operator_ended');
    await reader.until(() => reader.isOver);
    reader.close();
    for (const gateway of [first, second]) expect(gateway.logs()).not.toContain('colleague');
  });

  it('share the rate limit of an account', async () => {
    const gateways = await asNewAccount();
    const statuses: number[] = [];
    let requestCount = 0;
    const askOn = async () => {
      while (requestCount++ < REQUESTS + 30) {
        statuses.push((await ask(gateways[requestCount % 2]!, 'GET', '/models')).status);
      }
    };
    await Promise.all(Array.from({ length: 8 }, askOn));
    expect(statuses.filter((code) => code === 200)).toHaveLength(REQUESTS);
    expect(statuses.filter((code) => code === 429)).toHaveLength(30);
  });

  it('end the calls of a killed gateway and free their slots', async ({ onTestFailed }) => {
    const [first, second] = await asNewAccount();
    const agentId = await makeAgent(first, {});
    const details = await Promise.all([
      requestConnection(first, agentId),
      requestConnection(first, agentId),
    ]);
    for (const each of details) await connected(each);
    const kept = await requestConnection(second, agentId);
    const survivor = await connected(kept);
    const killedAt = Date.now();
    await one.kill();
    onTestFailed(async () => {
      await one.stop();
      one = await start();
    });
    const calls = new CallsRepository(database.db, 0);
    for (const { call_id } of details) {
      const row = await vi.waitFor(
        async () => {
          const found = await calls.find(call_id);
          expect(found?.state).toBe('ended');
          return found;
        },
        { timeout: 60_000, interval: 100 },
      );
      expect(row?.ended_reason).toBe('error_transport');
      expect((row?.ended_at?.getTime() ?? 0) - killedAt).toBeLessThan(CALLS_END_WITHIN_MS);
    }
    const open = await database.db('calls').whereIn(
      'call_id',
      details.map(({ call_id }) => call_id),
    );
    expect(open.every(({ state }) => state === 'ended')).toBe(true);
    expect((await calls.find(kept.call_id))?.state).toBe('live');
    survivor.hangUp();
    await survivor.waitFor('end');
  });
});

describe('cluster of gateways on one port', () => {
  let product: Product;
  beforeAll(async () => {
    const env = { GATEWAYS: '2', REQUESTS_PER_MINUTE: '0' };
    product = await startProduct({ env, readyWithinMs: 120_000 });
    await vi.waitFor(() => expect(product.logs()).toContain('API key:'), { timeout: 120_000 });
  });
  afterAll(() => product?.stop());

  /** Process ID of the gateway that runs a call. */
  function holderOf(callId: string): number {
    const line = product
      .logs()
      .split('\n')
      .find((text) => text.includes('The call began') && text.includes(callId));
    if (!line) throw new Error('No gateway reports this call');
    return Number(JSON.parse(line).pid);
  }

  /** Process IDs of the gateways that have answered a request so far. */
  function gateways(): Set<number> {
    const lines = product.logs().split('\n');
    const pids = lines.map((line) => /"pid":(\d+),.*"msg":"request"/.exec(line)?.[1]);
    return new Set(pids.filter(Boolean).map(Number));
  }

  it('prints its URL and the key file once, and no key without a terminal', () => {
    expect(product.logs().match(/Parley is ready: /g)).toHaveLength(1);
    const file = join(product.dataDir, 'api-key');
    expect(product.logs().split(`API key: see ${file}`)).toHaveLength(2);
    expect(product.logs()).not.toContain(product.apiKey);
    expect(product.logs()).toContain(`Parley is ready: ${product.url}`);
  });

  it('resumes a call on whichever gateway accepts the new socket', async () => {
    const agentId = await makeAgent(product, QUIET);
    const details = await requestConnection(product, agentId);
    const client = await connected(details);
    await client.state('listening');
    const forwarded = () => product.logs().match(/Forwarded a socket/g)?.length ?? 0;
    for (let round = 0; forwarded() < 3; round++) {
      expect(round, 'sockets go to the gateways in turn').toBeLessThan(20);
      client.drop();
      await client.resume();
    }
    client.type('Are you still there?');
    await client.final('agent');
    expect(await end(product, details)).toMatchObject({ status: 200, body: { status: 'ended' } });
    await client.waitFor('end', ({ reason }) => reason === 'user_hangup');
    // Any gateway refuses the upgrade of an ended call.
    await expect(client.resume()).rejects.toThrow(/401/);
  });

  it('loses only the calls of a killed gateway, and restarts it', async () => {
    const agentId = await makeAgent(product, QUIET);
    const calls = new Map<number, { details: ConnectionDetails; client: CallClient }>();
    for (let round = 0; calls.size < 2; round++) {
      expect(round, 'sockets go to the gateways in turn').toBeLessThan(20);
      const details = await requestConnection(product, agentId);
      const client = await connected(details);
      await vi.waitFor(() => holderOf(details.call_id), { timeout: 30_000 });
      calls.set(holderOf(details.call_id), { details, client });
    }
    const [[target, lost], [, kept]] = [...calls] as [
      [number, { details: ConnectionDetails; client: CallClient }],
      [number, { details: ConnectionDetails; client: CallClient }],
    ];
    process.kill(target, 'SIGKILL');
    await lost.client.closed();
    const history = async () => {
      const { body } = await ask(product, 'GET', '/agent/call-history?limit=100');
      const items: { call_id: string; ended_reason: string }[] = body.items;
      return items.find(({ call_id }) => call_id === lost.details.call_id)?.ended_reason;
    };
    await vi.waitFor(async () => expect(await history()).toBe('error_transport'), {
      timeout: CALLS_END_WITHIN_MS,
    });
    kept.client.type('Are you still there?');
    await kept.client.final('agent');
    const before = gateways();
    await vi.waitFor(
      async () => {
        await fetch(`${product.url}/healthz`, { headers: { connection: 'close' } });
        expect([...gateways()].filter((pid) => !before.has(pid))).toHaveLength(1);
      },
      { timeout: 120_000, interval: 200 },
    );
    kept.client.hangUp();
    await kept.client.waitFor('end');
  });

  it('stops gracefully on Ctrl-C', async () => {
    const everybody = [product.pid, ...gateways()];
    for (const pid of everybody) {
      try {
        process.kill(pid, 'SIGINT');
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe('ESRCH'); // the killed gateway
      }
    }
    expect(await product.stop()).toBe(0);
    for (const pid of everybody) expect(() => process.kill(pid, 0)).toThrow();
    expect(product.logs()).not.toMatch(/"level":"fatal"/);
  });
});
