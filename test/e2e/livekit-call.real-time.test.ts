import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SEED_AGENT } from '../../src/features/agents/seed-agent.js';
import { speakWithPiper } from '../support/corpora/spoken-questions.js';
import { launchBrowser } from '../support/harness/call/call-page.js';
import {
  type LiveKitServer,
  startLiveKitServer,
} from '../support/harness/process/livekit-server.js';
import { type Product, startProduct } from '../support/harness/process/product.js';
import { describeWith } from '../support/harness/process/required-tools.js';
import { type SeenInRoom, serveRoomPage } from './livekit-page.js';

const QUESTION = 'How much does a coffee cost in the café?';
const LONG_ANSWERED = 'What are your opening hours?';
const INTERRUPTION = 'Wait, how much does a coffee cost?';
const PRICE = /three dollars and fifty cents/;
const WAIT_OPTIONS = { timeout: 40_000, interval: 100 };

/** An agent that speaks only when spoken to. */
const QUIET = { greeting: '', user_silence_timeout: 300 };

/** Number of attempts per question on a busy machine. */
const TRIES = 3;
const TRY_MS = 15_000;

/** Whether a condition becomes true in time. */
async function becomesTrue(isSo: () => Promise<boolean>): Promise<boolean> {
  for (const until = performance.now() + TRY_MS; performance.now() < until; ) {
    if (await isSo()) return true;
    await sleep(200);
  }
  return isSo();
}

interface Details {
  readonly server_url: string;
  readonly participant_token: string;
  readonly call_id: string;
  readonly end_token: string;
}

describeWith(
  ['livekit-server', 'chromium', 'piper-tts'],
  "call with LiveKit's client in a browser",
  (tools) => {
    let server: LiveKitServer;
    let product: Product;
    let browser: Browser;
    let client: Awaited<ReturnType<typeof serveRoomPage>>;
    let clips: readonly Float32Array[];
    beforeAll(async () => {
      clips = await speakWithPiper(tools['piper-tts'], [QUESTION, LONG_ANSWERED, INTERRUPTION]);
      server = await startLiveKitServer(tools['livekit-server']);
      [browser, client, product] = await Promise.all([
        launchBrowser(tools.chromium),
        serveRoomPage(),
        startProduct({
          env: {
            LIVEKIT_URL: server.url.replace('http', 'ws'),
            LIVEKIT_API_KEY: server.apiKey,
            LIVEKIT_API_SECRET: server.apiSecret,
          },
        }),
      ]);
    });
    afterAll(async () => {
      await browser?.close();
      client?.close();
      await product?.stop();
      await server?.stop();
    });

    async function ask<Answer>(path: string, body?: object, key = product.apiKey): Promise<Answer> {
      const response = await fetch(`${product.url}/api/v1${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(response.status).toBeLessThan(300);
      return (await response.json()) as Answer;
    }

    async function silentAgent(): Promise<string> {
      const agents = await ask<{ name: string; config: object }[]>('/agent');
      const { config } = agents.find(({ name }) => name === SEED_AGENT.name)!;
      const agent = { name: 'Without a greeting', config: { ...config, ...QUIET } };
      const { agent_id: id } = await ask<{ agent_id: string }>('/agent', agent);
      await ask(`/agent/${id}/deploy`, {});
      return id;
    }

    it('exchanges audio and text with the caller, and can be interrupted', async () => {
      const details = await ask<Details>('/connection/connection-details', {
        agent_id: await silentAgent(),
      });
      expect(details.server_url).toBe(server.url.replace('http', 'ws'));
      const page = await browser.newPage();
      await page.goto(client.url);
      const run = <Answer>(script: string) => page.evaluate(`guest.${script}`) as Promise<Answer>;
      const say = (clip: Float32Array) => run(`say(Float32Array.of(${[...clip].join()}))`);
      const seen = () => run<SeenInRoom>('seen()');
      const said = async (role: 'agent' | 'caller') =>
        (await seen()).transcripts.filter(({ from }) => from.startsWith(`${role}-`));
      const finals = async (role: 'agent' | 'caller') =>
        (await said(role)).flatMap(({ final, text }) => (final ? text : [])).join(' | ');

      // Speech from before the join is preserved, unless the client gives up on a busy machine:
      // then the question is repeated.
      await run('open()');
      await run('speakAhead()');
      await say(clips[0]!);
      const { server_url: url, participant_token: token } = details;
      await run(`join(${JSON.stringify(url)}, ${JSON.stringify(token)})`);
      const isTranscribed = async () => /coffee/i.test(await finals('caller'));
      for (let times = 1; times < TRIES && !(await becomesTrue(isTranscribed)); times++)
        await say(clips[0]!);
      await expect.poll(() => finals('agent'), WAIT_OPTIONS).toMatch(PRICE);
      expect((await seen()).loudest).toBeGreaterThan(0.05);
      expect((await seen()).states).toContain('speaking');

      // Interrupts a long answer. On a busy machine, recognition may take as long as the answer.
      const isListening = async () => (await seen()).states.at(-1) === 'listening';
      const interrupt = async () => {
        await expect.poll(isListening, WAIT_OPTIONS).toBe(true);
        const before = (await said('agent')).length;
        await say(clips[1]!);
        await expect
          .poll(async () => (await said('agent')).length, WAIT_OPTIONS)
          .toBeGreaterThan(before);
        await expect.poll(async () => (await seen()).level, WAIT_OPTIONS).toBeGreaterThan(0.05);
        const { id } = (await said('agent')).at(-1)!;
        await say(clips[2]!);
        const texts = async () => (await said('agent')).filter((text) => text.id === id);
        await expect.poll(async () => (await texts()).at(-1)?.final, WAIT_OPTIONS).toBe(true);
        const lengths = (await texts()).map(({ text }) => text.length);
        return { id, isCut: lengths.at(-1)! < Math.max(...lengths) };
      };
      let interrupted = await interrupt();
      for (let times = 1; times < TRIES && !interrupted.isCut; times++) {
        interrupted = await interrupt();
      }
      expect(interrupted.isCut).toBe(true);
      const after = async () => {
        const all = await said('agent');
        const cutAt = all.findLastIndex(({ id }) => id === interrupted.id);
        return all.slice(cutAt + 1).flatMap(({ final, text }) => (final ? text : []));
      };
      await expect.poll(async () => (await after()).join(' | '), WAIT_OPTIONS).toMatch(PRICE);
      await expect.poll(isListening, WAIT_OPTIONS).toBe(true);

      await run('type("Are dogs welcome?")');
      const written = async (topic: string) =>
        (await seen()).texts.flatMap((text) => (text.topic === topic ? text.text : [])).join(' | ');
      await expect
        .poll(() => written('lk.chat'), WAIT_OPTIONS)
        .toMatch(/dogs on a lead are welcome/);
      await expect.poll(() => written('lk.transcription'), WAIT_OPTIONS).toMatch(PRICE);

      await ask(`/calls/${details.call_id}/end`, {}, details.end_token);
      await expect.poll(async () => (await seen()).isOut, WAIT_OPTIONS).toBe(true);
      await page.close();
    }, 240_000);
  },
);
