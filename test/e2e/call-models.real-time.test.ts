import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diffLines } from '../../agents-runtime/observers/replay/effect-listing.js';
import { replay } from '../../agents-runtime/observers/replay/replay.js';
import { readReplayFile } from '../../tools/replay/read-replay-file.js';
import { LlmServer, MODEL_BEHAVIOURS } from '../support/fakes/llm-server.js';
import {
  endedCall,
  makeAgent,
  requestConnection,
  StoredCalls,
} from '../support/harness/call/call-agents.js';
import { CallClient } from '../support/harness/call/call-client.js';
import { freePort } from '../support/harness/process/free-port.js';
import { type Product, removeDataDir, startProduct } from '../support/harness/process/product.js';
import { makeTestFolder } from '../support/harness/process/test-folder.js';

const APOLOGY = /Sorry, I could not work that out/;

/** Longest delay of a timer beside other tests. */
const MAX_LATE_MS = 500;

describe('LLM endpoint', () => {
  const dataDir = makeTestFolder();
  const replays = join(dataDir, 'replays');
  let server: LlmServer;
  let product: Product;
  let stored: StoredCalls;
  /** Clients of all calls, including failed attempts. */
  const clients: CallClient[] = [];

  beforeAll(async () => {
    server = await LlmServer.start();
    const file = join(dataDir, 'models.json');
    const dead = `http://127.0.0.1:${await freePort()}/v1`;
    const servers = [
      { base_url: server.baseUrl, models: [...MODEL_BEHAVIOURS] },
      { base_url: dead, models: ['dead'] },
    ];
    writeFileSync(file, JSON.stringify(servers));
    product = await startProduct({ dataDir, env: { LLM_FILE: file, REPLAY_DIR: replays } });
    stored = new StoredCalls(product);
  });
  afterAll(async () => {
    await stored?.close();
    await product?.stop();
    server?.close();
    await removeDataDir(dataDir);
  });

  async function call(model: string) {
    const agent = await makeAgent(product, { prompt: 'You help.', llm_model: model });
    const details = await requestConnection(product, agent);
    const client = new CallClient(details);
    clients.push(client);
    await client.connect();
    return { client, callId: details.call_id };
  }

  /** Types questions to a model and collects the answers, each until the state is `listening`. */
  async function converse(model: string, questions: readonly string[]) {
    const { client, callId } = await call(model);
    const waits: number[] = [];
    for (const question of questions) {
      const askedAt = Date.now();
      client.type(question);
      const thinking = await client.state('thinking', client.lastSeq);
      const next = await client.waitFor('state', ({ state }) => state !== 'thinking', {
        after: thinking.seq,
      });
      waits.push(next.atMs - askedAt);
      if (next.state === 'speaking') await client.state('listening', next.seq);
    }
    await client.playedOut();
    client.hangUp();
    expect(await client.closed()).toBe(1000);
    client.close();
    const row = await endedCall(product, callId);
    expect(row.ended_reason).toBe('user_hangup');
    const agentTexts = client.finals
      .filter((text) => text.startsWith('agent: '))
      .map((text) => text.slice(7));
    return { texts: agentTexts, waits, heardAll: client.player.hasPlayedAll };
  }

  // Runs first, because requests to hanging models end late.
  it('leads to an apology after any failure, and the call continues', async () => {
    const failing = ['dead', 'failing', 'hanging', 'stalling', 'empty', 'babbling'];
    const calls = await Promise.all(failing.map((model) => converse(model, ['Are you open?'])));
    for (const [i, { texts, waits }] of calls.entries()) {
      expect(texts, failing[i]).toEqual([expect.stringMatching(APOLOGY)]);
      // The limit is 8 s by the engine's clock (bad-providers.test.ts); here other tests run as
      // well.
      expect(waits[0], failing[i]).toBeLessThan(20_000);
    }
  });

  it.concurrent('receives the instructions and the played part of the conversation', async () => {
    const { texts, heardAll } = await converse('good', ['first thing', 'second thing']);
    expect(texts).toEqual(['You said first thing', 'You said second thing']);
    expect(heardAll).toBe(true);
    // After the call there is one more request, for its summary.
    const { messages } = server.requests.findLast(
      (request) => request.model === 'good' && request.messages.length > 2,
    )!;
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(messages[0]?.content).toMatch(/^You help\./);
    expect(messages.slice(1).map(({ content }) => content)).toEqual([
      'first thing',
      'You said first thing',
      'second thing',
    ]);
  });

  it.concurrent('whose reply breaks off leads to a notice', async () => {
    const { texts } = await converse('breaking', ['Are you open?']);
    expect(texts[0]).toMatch(/^The shop opens at eight\. .*my answer broke off/s);
  });

  it.concurrent('that returns only an emoji adds no agent turn', async () => {
    const { texts } = await converse('emoji', ['Are you open?', 'Are you there?']);
    expect(texts).toEqual([]);
  });

  it('whose reply never ends can be interrupted', async () => {
    const { client } = await call('endless');
    client.type('Tell me.');
    await client.state('speaking');
    const cutAt = Date.now();
    client.type('Stop.');
    const cleared = await client.waitFor('clear');
    expect(cleared.atMs - cutAt).toBeLessThan(10_000);
    client.hangUp();
    await client.closed();
    client.close();
  });

  it('has no open requests after the calls, and the log contains the faults but no text', async () => {
    for (const client of clients) client.close();
    await expect.poll(() => server.openRequests, { timeout: 30_000 }).toBe(0);
    await expect.poll(() => stored.live(), { timeout: 60_000 }).toBe(0);
    const faults = () => product.logs().match(/Fault in a call/g)?.length ?? 0;
    await expect.poll(faults).toBeGreaterThanOrEqual(7);
    // Logs contain no prompts or transcripts.
    expect(product.logs()).not.toMatch(/Are you open|You help|first thing/);
    expect((await fetch(`${product.url}/readyz`)).status).toBe(200);
  });

  it('writes one replay file per call, and each file replays without differences', async () => {
    await product.stop();
    const files = readdirSync(replays);
    expect(files.length).toBeGreaterThanOrEqual(6);
    for (const file of files) {
      const { recorded, differences } = await replay(await readReplayFile(join(replays, file)));
      expect(recorded.at(-1), file).toMatchObject({ type: 'transport', action: 'close' });
      // A timer of this machine may be late, which the virtual clock of the replay never is.
      const notLate = differences.filter(
        (each) =>
          each.type !== 'changed' || Math.abs(each.recorded.t - each.replayed.t) > MAX_LATE_MS,
      );
      expect(diffLines(notLate), file).toEqual([]);
    }
  });
});
