import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BYTES_PER_MS, microphoneFile, signedIn, standBetween } from '../support/call-page.js';
import { describeWith } from '../support/needs.js';
import { type Product, startProduct } from '../support/product.js';
import { askedByPiper } from '../support/questions.js';

const QUESTION = 'How much does a coffee cost in the café?';
/** The ready-made agent greets for about nine seconds. */
const GREETED_MS = 14_000;
const FLAGS = ['--no-sandbox', '--autoplay-policy=no-user-gesture-required'];

/** Keeps what the page says of its state, without repetitions. */
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

const lastLine = (page: Page, role: 'user' | 'agent') =>
  page.locator(`#transcript li[data-role="${role}"][data-final="true"] .words`).last();

describeWith(['chromium', 'piper-tts'], 'a call in the browser', (tools) => {
  let product: Product;
  let browser: Browser;
  let deafBrowser: Browser;
  beforeAll(async () => {
    product = await startProduct();
    const microphone = microphoneFile(GREETED_MS, askedByPiper(tools['piper-tts'], [QUESTION]));
    browser = await chromium.launch({
      executablePath: tools.chromium,
      args: [
        ...FLAGS,
        '--use-fake-device-for-media-stream',
        '--use-fake-ui-for-media-stream',
        `--use-file-for-fake-audio-capture=${microphone}%noloop`,
      ],
    });
    deafBrowser = await chromium.launch({ executablePath: tools.chromium, args: FLAGS });
  });
  afterAll(async () => {
    await browser?.close();
    await deafBrowser?.close();
    await product?.stop();
  });

  it('answers a spoken question by voice and shows all of it', async () => {
    const { page, faults, wire } = await signedIn(browser, product.url, product.apiKey);
    await page.evaluate(WATCH_STATES);
    await page
      .getByRole('combobox', { name: 'Agent' })
      .selectOption({ label: 'Harbour Lane Books' });
    await page.getByRole('button', { name: 'Talk' }).click();
    const latency = page.locator('#transcript .latency');
    await latency.waitFor({ timeout: 60_000 });
    await photograph(page, 'call-1280');
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await photograph(page, 'call-320');
    await page.setViewportSize({ width: 1280, height: 900 });

    const answer = page.getByText(/three dollars and fifty cents/);
    await answer.waitFor();
    const asked = await lastLine(page, 'user').textContent();
    expect(asked).toMatch(/coffee/i);
    expect(asked).toMatch(/cost/i);
    await expect
      .poll(() => page.evaluate('shownStates.join(", ")'), { timeout: 15_000 })
      .toBe('Connecting …, Starting …, Speaking, Listening, Thinking, Speaking, Listening');

    const [seconds] = /\d+\.\d\d s/.exec((await latency.textContent()) ?? '') ?? [];
    const sum = (await latency.locator('.sum').textContent()) ?? '';
    const [parts = '', total = ''] = sum.split('=');
    const added = [...parts.matchAll(/\d+/g)].reduce((all, [ms]) => all + Number(ms), 0);
    expect(added).toBe(Number.parseInt(total, 10));
    expect(seconds).toBe(`${(added / 1000).toFixed(2)} s`);

    // All that was sent has been played, by the sound card's clock.
    expect(wire.played.at(-1)).toBeCloseTo(wire.audioBytes / BYTES_PER_MS, 6);
    expect(wire.played).toEqual([...wire.played].sort((a, b) => a - b));
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.locator('#status', { hasText: 'You hung up.' }).waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: /Harbour Lane Books.*hung up/ })
      .waitFor();
    await photograph(page, 'call-over');
    expect(faults).toEqual([]);
    await page.close();
  });

  it('takes a typed question, holds its playhead on pause, and resumes a broken socket', async () => {
    const { page } = await signedIn(browser, product.url, product.apiKey);
    const between = await standBetween(page);
    const { wire } = between;
    await page.evaluate(WATCH_STATES);
    await page.getByRole('button', { name: 'Talk' }).click();
    await expect.poll(() => wire.played.at(-1) ?? 0, { timeout: 20_000 }).toBeGreaterThan(500);

    between.say({ type: 'pause' });
    await page.waitForTimeout(200);
    const held = wire.played.at(-1)!;
    await page.waitForTimeout(400);
    expect(wire.played.at(-1)).toBe(held);
    const reports = wire.played.length;
    between.say({ type: 'resume', fromMs: held });
    await expect.poll(() => wire.played.length).toBeGreaterThan(reports + 2);
    expect(wire.played[reports]! - held).toBeGreaterThan(0);
    expect(wire.played[reports]! - held).toBeLessThanOrEqual(110);

    await between.breakSocket();
    await page.locator('#call-state', { hasText: 'Reconnecting …' }).waitFor();
    await page.locator('#call-state', { hasText: 'Speaking' }).waitFor();
    expect(between.sockets).toHaveLength(2);
    await page.locator('#call-state', { hasText: 'Listening' }).waitFor({ timeout: 20_000 });
    const greeting = await lastLine(page, 'agent').textContent();
    expect(greeting).toMatch(/How can I help\?$/);
    expect(wire.played.at(-1)).toBeCloseTo(wire.audioBytes / BYTES_PER_MS, 6);

    await page.getByLabel('Type instead of talking').fill('Are dogs welcome?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/dogs on a lead are welcome/).waitFor();
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.locator('#status', { hasText: 'You hung up.' }).waitFor();
    await page.close();
  });

  it('says so when the microphone is refused, and lets the caller type', async () => {
    const { page } = await signedIn(deafBrowser, product.url, product.apiKey);
    await page.getByRole('button', { name: 'Talk' }).click();
    await page.getByText(/(was refused|No microphone was found).*You can type instead/).waitFor();
    await page.getByLabel('Type instead of talking').fill('Can I pay by card?');
    await page.locator('#call-state', { hasText: 'Speaking' }).waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/pay in cash, by card/).waitFor({ timeout: 30_000 });
    await page.close();
  });

  it('offers a test call where the agent is paused', async () => {
    const { page } = await signedIn(deafBrowser, product.url, product.apiKey);
    const headers = { Authorization: `Bearer ${product.apiKey}` };
    const list = await fetch(`${product.url}/api/v1/agent`, { headers });
    const [agent] = (await list.json()) as [{ readonly agent_id: string }];
    const turn = (way: 'pause' | 'deploy') =>
      fetch(`${product.url}/api/v1/agent/${agent.agent_id}/${way}`, { method: 'POST', headers });
    expect((await turn('pause')).status).toBe(200);
    await page.getByRole('button', { name: 'Talk' }).click();
    await page.getByText('This agent is not deployed, so it takes no calls.').waitFor();
    await page.getByRole('button', { name: 'Make a test call' }).click();
    await page.locator('#call-state', { hasText: 'Speaking' }).waitFor();
    expect((await turn('deploy')).status).toBe(200);
    await page.close();
  });
});
