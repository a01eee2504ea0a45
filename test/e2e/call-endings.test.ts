import { afterAll, describe, expect, it } from 'vitest';
import type { AgentConfigInput } from '../../src/features/agents/config/agent-config.schema.js';
import {
  endedCall,
  makeAgent,
  refusal,
  requestConnection,
  SHOP,
  StoredCalls,
} from '../support/harness/call/call-agents.js';
import { CallClient } from '../support/harness/call/call-client.js';
import { type Product, removeDataDir, startProduct } from '../support/harness/process/product.js';
import { makeTestFolder } from '../support/harness/process/test-folder.js';

/** The timeout of 0 disables the inactivity prompts, which a slow machine could trigger. */
const AGENT: AgentConfigInput = { ...SHOP, greeting: '', user_silence_timeout: 0 };

describe('gateway that stops during calls', () => {
  const dataDir = makeTestFolder();
  const clients: CallClient[] = [];
  let product: Product | undefined;

  afterAll(async () => {
    for (const client of clients) client.close();
    await product?.stop();
    await removeDataDir(dataDir);
  });

  async function answered(config: AgentConfigInput) {
    const running = product!;
    const details = await requestConnection(running, await makeAgent(running, config));
    const client = new CallClient(details);
    clients.push(client);
    await client.connect();
    client.type('Do you deliver within the city?');
    const spoken = await client.final('agent');
    await client.state('listening', spoken.seq);
    return { client, callId: details.call_id };
  }

  it('waits for its calls on SIGTERM, ends the remaining ones after the drain time, and admits no new ones', async () => {
    await product?.stop(); // of a failed attempt
    const drainMs = 20_000;
    product = await startProduct({ dataDir, env: { DRAIN_SECONDS: String(drainMs / 1_000) } });
    const [finishing, endless] = await Promise.all([answered(AGENT), answered(AGENT)]);
    const agentId = await makeAgent(product, AGENT);
    const stoppedAt = finishing.client.lastSeq;
    const signalledAt = performance.now();
    const stopping = product.stop();
    const isRefused = async () => (await refusal(product!, { agent_id: agentId })).status;
    await expect.poll(isRefused).toBe(503);
    const readiness = await fetch(`${product.url}/readyz`);
    expect(readiness.status).toBe(503);
    expect(await readiness.json()).toMatchObject({ parts: { gateway: 'stopping' } });
    finishing.client.type('How much are twelve red roses?');
    await finishing.client.state('speaking', stoppedAt);
    finishing.client.hangUp();
    await finishing.client.waitFor('end', ({ reason }) => reason === 'user_hangup');
    await endless.client.waitFor('end', ({ reason }) => reason === 'drained');
    // Timers may fire a millisecond early.
    expect(performance.now() - signalledAt).toBeGreaterThan(drainMs - 100);
    expect(await endless.client.closed()).toBe(1000);
    expect(await stopping).toBe(0);

    product = await startProduct({ dataDir });
    expect(await endedCall(product, finishing.callId)).toMatchObject({
      ended_reason: 'user_hangup',
    });
    expect(await endedCall(product, endless.callId)).toMatchObject({ ended_reason: 'drained' });
  });

  it('keeps the stored turns after SIGKILL and records why the calls ended', async () => {
    product ??= await startProduct({ dataDir });
    const { client, callId } = await answered(AGENT);
    const askedAt = client.lastSeq;
    // The answer takes ten seconds, longer than the gateway lives.
    client.type('Who teaches the class about orchids?');
    await client.state('speaking', askedAt);
    // A busy database may store the turn after the answer has started.
    const written = new StoredCalls(product);
    await expect.poll(() => written.turns(callId)).toHaveLength(3);
    await written.close();
    await product.kill();
    product = undefined;
    await client.closed();
    product = await startProduct({ dataDir });
    expect(await endedCall(product, callId)).toMatchObject({
      ended_reason: 'error_transport',
      transcription_stats: { user_turns: 2, agent_turns: 1 },
    });
    const stored = new StoredCalls(product);
    const turns = await stored.turns(callId);
    await stored.close();
    expect(turns.map(({ text }) => text)).toEqual([
      'Do you deliver within the city?',
      'We deliver within the city for five dollars.',
      'Who teaches the class about orchids?',
    ]);
  });
});
