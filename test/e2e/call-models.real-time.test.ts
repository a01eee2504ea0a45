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

describe('a language model behind an endpoint', () => {
  const dataDir = makeTestFolder();
  const replays = join(dataDir, 'replays');
  let server: LlmServer;
  let product: Product;
  let stored: StoredCalls;
  /** Of all calls, also of attempts that failed. */
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

  /** Types a question to a model and gives what is answered, until the agent listens again. */
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
    return { texts: agentTexts, waits, heardAll: client.player.hasHeardAll };
  }

  // First, as what is still asked of models that hang ends late.
  it('that fails in any way is apologised for, and the call goes on', async () => {
    const failing = ['dead', 'failing', 'hanging', 'stalling', 'empty', 'babbling'];
    const calls = await Promise.all(failing.map((model) => converse(model, ['Are you open?'])));
    for (const [i, { texts, waits }] of calls.entries()) {
      expect(texts, failing[i]).toEqual([expect.stringMatching(APOLOGY)]);
      // Within 8 s, as bad-providers.test.ts shows by the engine's own clock: here others run, too.
      expect(waits[0], failing[i]).toBeLessThan(20_000);
    }
  });

  it.concurrent('is asked with the instructions and the conversation as it was heard', async () => {
    const { texts, heardAll } = await converse('good', ['first thing', 'second thing']);
    expect(texts).toEqual(['You said first thing', 'You said second thing']);
    expect(heardAll).toBe(true);
    // After the call it is asked once more, to sum it up.
    const { messages } = server.requests.findLast(
      (asked) => asked.model === 'good' && asked.messages.length > 2,
    )!;
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(messages[0]?.content).toMatch(/^You help\./);
    expect(messages.slice(1).map(({ content }) => content)).toEqual([
      'first thing',
      'You said first thing',
      'second thing',
    ]);
  });

  it.concurrent('that breaks off says so', async () => {
    const { texts } = await converse('breaking', ['Are you open?']);
    expect(texts[0]).toMatch(/^The shop opens at eight\. .*my answer broke off/s);
  });

  it.concurrent('that answers with a picture only leaves the caller the floor', async () => {
    const { texts } = await converse('emoji', ['Are you open?', 'Are you there?']);
    expect(texts).toEqual([]);
  });

  it('that never ends is interrupted like any other', async () => {
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

  it('is asked nothing more when its call is over, and every turn was counted', async () => {
    for (const client of clients) client.close();
    await expect.poll(() => server.openRequests, { timeout: 30_000 }).toBe(0);
    await expect.poll(() => stored.live(), { timeout: 60_000 }).toBe(0);
    const faults = () => product.logs().match(/Fault in a call/g)?.length ?? 0;
    await expect.poll(faults).toBeGreaterThanOrEqual(7);
    // What was said stands in no line.
    expect(product.logs()).not.toMatch(/Are you open|You help|first thing/);
    expect((await fetch(`${product.url}/readyz`)).status).toBe(200);
  });

  it('has left a file of every call, which is the same call when it is held again', async () => {
    await product.stop();
    const files = readdirSync(replays);
    expect(files.length).toBeGreaterThanOrEqual(6);
    for (const file of files) {
      const { recorded, differences } = await replay(await readReplayFile(join(replays, file)));
      expect(recorded.at(-1), file).toMatchObject({ type: 'transport', action: 'close' });
      expect(diffLines(differences), file).toEqual([]);
    }
  });
});
