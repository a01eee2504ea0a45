import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { summariseSpool } from '../../media/recording/spool-reader.js';
import type { AgentConfigInput } from '../../src/features/agents/config/agent-config.schema.js';
import { decodeChannels } from '../support/harness/audio/decode-audio.js';
import { toneOnsets } from '../support/harness/audio/tone-onsets.js';
import {
  ask,
  endedCall,
  makeAgent,
  requestConnection,
  SHOP,
} from '../support/harness/call/call-agents.js';
import { CallClient } from '../support/harness/call/call-client.js';
import { type Product, removeDataDir, startProduct } from '../support/harness/process/product.js';
import { describeWith } from '../support/harness/process/required-tools.js';
import { makeTestFolder } from '../support/harness/process/test-folder.js';

const RATE = 24_000;
const TONE_S = 1;
const tone = Float32Array.from({ length: 16_000 * TONE_S }, (_, i) => 0.5 * Math.sin(i * 0.1728));

describeWith(['ffmpeg'], 'recording', ({ ffmpeg }) => {
  const dataDir = makeTestFolder();
  const clients: CallClient[] = [];
  let product: Product;
  beforeAll(async () => {
    product = await startProduct({ dataDir });
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });
  afterAll(async () => {
    await product?.stop();
    await removeDataDir(dataDir);
  });

  async function call(config: AgentConfigInput = {}) {
    const agentId = await makeAgent(product, { ...SHOP, ...config });
    const details = await requestConnection(product, agentId);
    const client = new CallClient(details);
    clients.push(client);
    await client.connect();
    return { client, callId: details.call_id };
  }

  const requestRecording = async (callId: string) => {
    const { body } = await ask(product, 'GET', `/agent/call-history/${callId}/recording`);
    return body as { status: string; url: string | null };
  };

  async function channelsOf(callId: string) {
    const status = async () => (await requestRecording(callId)).status;
    await expect.poll(status, { timeout: 60_000 }).toBe('ready');
    const { url } = await requestRecording(callId);
    const file = Buffer.from(await (await fetch(url!)).arrayBuffer());
    const [caller, agent] = await decodeChannels(ffmpeg, file, { channels: 2, sampleRate: RATE });
    return { caller: caller!, agent: agent! };
  }

  const filesOf = (callId: string) =>
    readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.includes(callId),
    );
  const loudest = (samples: Float32Array) => samples.reduce((most, s) => Math.max(most, s), 0);

  it('has the agent on the right channel and the caller on the left', async () => {
    const { client, callId } = await call();
    await client.state('listening');
    expect((await requestRecording(callId)).status).toBe('processing');
    await client.say(tone);
    client.hangUp();
    await client.closed();
    const { call_duration_seconds: seconds } = await endedCall(product, callId);
    const { caller, agent } = await channelsOf(callId);
    expect(Math.abs(caller.length / RATE - seconds)).toBeLessThan(5);
    expect(loudest(agent)).toBeGreaterThan(0.1);
    // The tone keeps its offset from the greeting until the end.
    const [onset] = toneOnsets(caller, RATE);
    const spoken = toneOnsets(agent, RATE)[0]!;
    expect(onset).toBeGreaterThan(spoken);
    expect(filesOf(callId)).toEqual([`storage/recordings/${callId}.mp3`]);
  });

  it('does not exist if the agent has recording disabled', async () => {
    const { client, callId } = await call({ recording_enabled: false });
    await client.say(tone);
    expect(filesOf(callId)).toEqual([]);
    client.hangUp();
    await client.closed();
    await endedCall(product, callId);
    expect(filesOf(callId)).toEqual([]);
    expect(await requestRecording(callId)).toEqual({ status: 'not_recorded', url: null });
  });

  it('keeps all stored audio after a SIGKILL during the call', async () => {
    const { client, callId } = await call();
    const spool = join(dataDir, 'recordings', `${callId}.spool`);
    await client.say(tone);
    const written = () => (existsSync(spool) ? summariseSpool(spool).durationMs : 0);
    await expect.poll(written, { timeout: 30_000 }).toBeGreaterThan(1_500);
    const durationMs = written();
    await product.kill();
    product = await startProduct({ dataDir });
    expect((await endedCall(product, callId)).ended_reason).toBe('error_transport');
    const { caller } = await channelsOf(callId);
    expect((caller.length / RATE) * 1000).toBeGreaterThanOrEqual(durationMs);
    expect(toneOnsets(caller, RATE).length).toBeGreaterThan(0);
  });
});
