import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { SEED_AGENT } from '../../src/features/agents/seed-agent.js';
import { speakWithPiper } from '../support/corpora/spoken-questions.js';
import {
  BYTES_PER_MS,
  INSECURE_HOST,
  launchBrowser,
  microphoneFile,
  proxySocket,
  type SocketTraffic,
  signedIn,
} from '../support/harness/call/call-page.js';
import { type Product, startProduct } from '../support/harness/process/product.js';
import { describeWith } from '../support/harness/process/required-tools.js';

const QUESTION = 'How much does a coffee cost in the café?';
const LONG_ANSWERED = 'What are your opening hours?';
const INTERRUPTION = 'Wait, how much does a coffee cost?';
/** Longer than the seed agent's greeting of about 9 seconds. */
const GREETED_MS = 14_000;
/** Longer than any test. */
const SILENT_MS = 120_000;

/** Collects the states that the page shows, without repetitions. */
const WATCH_STATES = `
  globalThis.shownStates = [];
  new MutationObserver(() => {
    const shown = document.querySelector('#call-state').textContent;
    if (shownStates.at(-1) !== shown) shownStates.push(shown);
  }).observe(document.querySelector('#call-state'), { childList: true });
`;

async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

async function talk(page: Page, agent = SEED_AGENT.name): Promise<void> {
  await page.getByRole('combobox', { name: 'Agent' }).selectOption({ label: agent });
  await page.getByRole('button', { name: 'Talk' }).click();
}

/** The agent's audio that was not reported as played yet, in milliseconds. */
const unplayedMs = ({ audioBytes, played }: SocketTraffic) =>
  audioBytes / BYTES_PER_MS - played.at(-1)!;

/** The playhead after a pause, once it no longer changes. */
async function pausedPlayhead(page: Page, { played }: SocketTraffic): Promise<number> {
  for (let last: number | undefined; ; ) {
    // By then the page's audio thread has processed the previous message.
    await page.waitForTimeout(400);
    await page.evaluate('undefined');
    if (last === played.at(-1)) return played.at(-1)!;
    last = played.at(-1);
  }
}

const lastLine = (page: Page, role: 'user' | 'agent') =>
  page.locator(`#transcript li[data-role="${role}"][data-final="true"] .words`).last();

describeWith(['chromium', 'piper-tts'], 'browser call', (tools) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-microphone-'));
  const browsers: Browser[] = [];
  let product: Product;
  let questionBrowser: Browser;
  let interrupter: Browser;
  let silent: Browser;
  let withoutMicrophone: Browser;
  beforeAll(async () => {
    const launch = async (microphone?: string) => {
      const launched = await launchBrowser(tools.chromium, microphone);
      browsers.push(launched);
      return launched;
    };
    const starting = startProduct().then((started) => {
      product = started;
    });
    const texts = [QUESTION, LONG_ANSWERED, INTERRUPTION];
    const [clips] = await Promise.all([speakWithPiper(tools['piper-tts'], texts), starting]);
    const [question, long, interruption] = clips.map((samples) => ({ atMs: GREETED_MS, samples }));
    const first = { ...long!, atMs: 8_000 };
    // In the middle of an answer of eight seconds, even if the answer starts late.
    const interruptedAt = Math.round(first.atMs + first.samples.length / 16 + 4_500);
    const interrupting = [first, { ...interruption!, atMs: interruptedAt }];
    [questionBrowser, interrupter, silent, withoutMicrophone] = await Promise.all([
      launch(microphoneFile(folder, [question!])),
      launch(microphoneFile(folder, interrupting)),
      launch(microphoneFile(folder, [{ atMs: SILENT_MS, samples: new Float32Array() }])),
      launch(),
    ]);
  });
  afterAll(async () => {
    await Promise.all(browsers.map((each) => each.close()));
    await product?.stop();
    rmSync(folder, { recursive: true });
  });

  async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${product.url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${product.apiKey}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.ok).toBe(true);
    return (await response.json()) as Answer;
  }

  /** Opens the page and signs in. The page and its call are closed after the test. */
  async function open({ onTestFinished }: TestContext, browser: Browser, url = product.url) {
    const opened = await signedIn(browser, url, product.apiKey);
    onTestFinished(() => opened.page.close());
    return opened;
  }

  interface StoredAgent {
    readonly agent_id: string;
    readonly name: string;
    readonly config: object;
  }

  async function readyMade(): Promise<StoredAgent> {
    const agents = await ask<StoredAgent[]>('GET', '/agent');
    return agents.find(({ name }) => name === SEED_AGENT.name)!;
  }

  describe('by voice', () => {
    it.concurrent('answers a spoken question and displays its transcript', async (test) => {
      const { expect } = test;
      const { page, faults, traffic: wire } = await open(test, questionBrowser);
      await page.evaluate(WATCH_STATES);
      await page
        .getByRole('combobox', { name: 'Agent' })
        .selectOption({ label: 'Harbour Lane Books' });
      await talk(page);
      const latency = page.locator('#transcript .latency');
      await latency.waitFor({ timeout: 60_000 });
      await photograph(page, 'call-1280');
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
      await photograph(page, 'call-320');
      await page.setViewportSize({ width: 1280, height: 900 });

      const answer = page.locator('#transcript').getByText(/three dollars and fifty cents/);
      await answer.waitFor();
      const userLine = await lastLine(page, 'user').textContent();
      expect(userLine).toMatch(/coffee|caf/i);
      await expect
        .poll(() => page.evaluate('shownStates.join(", ")'), { timeout: 30_000 })
        .toBe('Connecting …, Starting …, Speaking, Listening, Thinking, Speaking, Listening');

      const [seconds] = /\d+\.\d\d s/.exec((await latency.textContent()) ?? '') ?? [];
      const sum = (await latency.locator('.sum').textContent()) ?? '';
      const [parts = '', total = ''] = sum.split('=');
      const added = [...parts.matchAll(/\d+/g)].reduce((all, [ms]) => all + Number(ms), 0);
      expect(added).toBe(Number.parseInt(total, 10));
      expect(seconds).toBe(`${(added / 1000).toFixed(2)} s`);

      // The sound card has played all received audio.
      await expect.poll(() => unplayedMs(wire)).toBeCloseTo(0, 6);
      expect(wire.played).toEqual([...wire.played].sort((a, b) => a - b));
      await page.getByRole('button', { name: 'Hang up' }).click();
      await page.locator('#status', { hasText: 'You hung up.' }).waitFor();
      await page
        .getByRole('listitem')
        .filter({ hasText: /Harbour Lane Books.*hung up/ })
        .first()
        .waitFor();
      await photograph(page, 'call-over');
      expect(faults).toEqual([]);
    });

    it.concurrent('stops immediately at a barge-in and answers it', async (test) => {
      const { config } = await readyMade();
      const name = 'Without a greeting';
      const made = await ask<StoredAgent>('POST', '/agent', {
        name,
        config: { ...config, greeting: '' },
      });
      await ask('POST', `/agent/${made.agent_id}/deploy`);
      const { page, traffic: wire } = await open(test, interrupter);
      await talk(page, name);
      await page
        .locator('#transcript')
        .getByText(/three dollars and fifty cents/)
        .waitFor({ timeout: 60_000 });

      const steering = wire.messages.flatMap(({ type }) =>
        /^(pause|resume|clear)$/.test(type) ? [type] : [],
      );
      // On a busy machine, the first word may be recognised so late that the agent resumes in
      // between.
      expect(steering.join(' ')).toMatch(/^pause (resume )?clear$/);
      const answers = wire.messages.filter(
        (message) => message.type === 'transcript' && message.role === 'agent',
      ) as { readonly segment: string; readonly text: string; readonly final: boolean }[];
      const cut = answers.find(({ final }) => final)!;
      const whole = answers.findLast(({ segment, final }) => segment === cut.segment && !final)!;
      expect(whole.text.startsWith(cut.text)).toBe(true);
      expect(cut.text.length).toBeGreaterThan(0);
      expect(cut.text.length).toBeLessThan(whole.text.length);
      await page.getByRole('button', { name: 'Hang up' }).click();
    });
  });

  describe('by keyboard', () => {
    it.concurrent('answers typed text, pauses playout, and resumes after a lost connection', async (test) => {
      const { expect } = test;
      const { page } = await open(test, silent);
      const between = await proxySocket(page);
      const { traffic: wire } = between;
      await page.evaluate(WATCH_STATES);
      await talk(page);
      await expect.poll(() => wire.played.at(-1) ?? 0, { timeout: 20_000 }).toBeGreaterThan(500);

      between.say({ type: 'pause' });
      const pausedAt = await pausedPlayhead(page, wire);
      expect(pausedAt).toBeLessThan(wire.audioBytes / BYTES_PER_MS);
      const reports = wire.played.length;
      between.say({ type: 'resume', fromMs: pausedAt });
      await expect.poll(() => wire.played.length).toBeGreaterThan(reports + 2);
      expect(wire.played[reports]! - pausedAt).toBeGreaterThan(0);
      expect(wire.played[reports]! - pausedAt).toBeLessThanOrEqual(110);

      await between.breakSocket();
      await expect
        .poll(() => page.evaluate('shownStates.join(", ")'), { timeout: 30_000 })
        .toContain('Reconnecting …, Speaking');
      expect(between.sockets.length).toBeGreaterThan(1);
      await page.locator('#call-state', { hasText: 'Listening' }).waitFor();
      const greeting = await lastLine(page, 'agent').textContent();
      expect(greeting).toMatch(/How can I help\?$/);
      await expect.poll(() => unplayedMs(wire)).toBeCloseTo(0, 6);

      await page.getByLabel('Type instead of talking').fill('Are dogs welcome?');
      await page.getByRole('button', { name: 'Send' }).click();
      await page
        .locator('#transcript')
        .getByText(/dogs on a lead are welcome/)
        .waitFor();
      await page.getByRole('button', { name: 'Hang up' }).click();
      await page.locator('#status', { hasText: 'You hung up.' }).waitFor();
    });

    it.concurrent('reports a refused microphone and accepts typed text', async (test) => {
      const { page } = await open(test, withoutMicrophone);
      await talk(page);
      await page.getByText(/(was refused|No microphone was found).*You can type instead/).waitFor();
      await page.getByLabel('Type instead of talking').fill('Can I pay by card?');
      await page.locator('#call-state', { hasText: 'Speaking' }).waitFor();
      await page.getByRole('button', { name: 'Send' }).click();
      await page
        .locator('#transcript')
        .getByText(/pay in cash, by card/)
        .waitFor({ timeout: 30_000 });
    });

    it.concurrent('explains what to do on an insecure origin', async (test) => {
      const { port } = new URL(product.url);
      const { page } = await open(test, withoutMicrophone, `http://${INSECURE_HOST}:${port}`);
      await talk(page);
      await page.getByText(/open this page with https/).waitFor();
      await page.getByRole('button', { name: 'Talk' }).waitFor();
    });
  });

  it('offers a test call to a paused agent', async (test) => {
    const { page } = await open(test, withoutMicrophone);
    const { agent_id: id } = await readyMade();
    await ask('POST', `/agent/${id}/pause`);
    await talk(page);
    await page.getByText('This agent is not deployed, so it accepts no calls.').waitFor();
    await page.getByRole('button', { name: 'Make a test call' }).click();
    await page.locator('#call-state', { hasText: 'Speaking' }).waitFor();
    await ask('POST', `/agent/${id}/deploy`);
  });
});
