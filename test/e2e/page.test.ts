import { randomUUID } from 'node:crypto';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeAgent, requestConnection } from '../support/harness/call/call-agents.js';
import { CallClient } from '../support/harness/call/call-client.js';
import { type Product, startProduct } from '../support/harness/process/product.js';
import { describeWith } from '../support/harness/process/required-tools.js';

/** The used part of the browser's audio element. */
interface Player {
  readonly ended: boolean;
  readonly paused: boolean;
  readonly duration: number;
}

const WIDTHS = [320, 1280];

describeWith(['chromium'], 'console page', ({ chromium: executablePath }) => {
  let product: Product;
  let browser: Browser;
  beforeAll(async () => {
    product = await startProduct();
    browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required'],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await product?.stop();
  });

  /** Opens a page of the given width and records the browser's errors. */
  async function openPage(width = 1280): Promise<{ page: Page; faults: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    page.setDefaultTimeout(30_000);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    await page.goto(product.url);
    return { page, faults };
  }

  async function signIn(page: Page, key = product.apiKey): Promise<void> {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  it('signs in with the key, speaks a text and plays it to the end', async () => {
    const { page, faults } = await openPage();
    await signIn(page);
    await page.getByRole('textbox', { name: 'Text' }).fill('Good morning everyone.');
    await page.getByRole('button', { name: 'Speak' }).click();
    await page.getByText(/First audio after \d+ ms/).waitFor();
    const player = page.locator('#player');
    await expect
      .poll(() => player.evaluate((audio: unknown) => (audio as Player).ended), { timeout: 30_000 })
      .toBe(true);
    const seconds = await player.evaluate((audio: unknown) => (audio as Player).duration);
    expect(seconds).toBeGreaterThan(0.7);
    expect(seconds).toBeLessThan(5);
    expect(faults).toEqual([]);
    await page.close();
  });

  it('stops a text, and replaces a text that is being spoken', async () => {
    const { page } = await openPage();
    await signIn(page);
    await page.getByRole('textbox', { name: 'Text' }).fill('This is a long text. '.repeat(60));
    await page.getByRole('button', { name: 'Speak' }).click();
    await page.getByText(/First audio after/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    const player = page.locator('#player');
    expect(await player.evaluate((audio: unknown) => (audio as Player).paused)).toBe(true);
    await page.getByRole('textbox', { name: 'Text' }).fill('Short.');
    await page.getByRole('button', { name: 'Speak' }).click();
    await expect
      .poll(() => player.evaluate((audio: unknown) => (audio as Player).ended), { timeout: 30_000 })
      .toBe(true);
    await page.close();
  });

  it('explains a wrong key and a rejected text', async () => {
    const { page } = await openPage();
    await signIn(page, 'vk_wrong');
    await page.getByText('The API key is not valid').waitFor();
    await signIn(page);
    await page.getByRole('textbox', { name: 'Text' }).fill('x'.repeat(5_001));
    await page.getByRole('button', { name: 'Speak' }).click();
    await page.getByText(/the limit is 5000/).waitFor();
    await page.close();
  });

  it('keeps the key for the tab only, until the user signs out', async () => {
    const { page } = await openPage();
    await signIn(page);
    await page.getByRole('textbox', { name: 'Text' }).waitFor();
    await page.reload();
    await page.getByRole('textbox', { name: 'Text' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.reload();
    await page.getByLabel('API key').waitFor();
    await page.close();
  });

  it.each(WIDTHS)('fits a width of %i pixels', async (width) => {
    const { page } = await openPage(width);
    await signIn(page);
    await page.getByRole('textbox', { name: 'Text' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    if (process.env.SCREENSHOTS) {
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/page-${width}.png` });
    }
    await page.close();
  });

  it('shows a live call, and allows listening, speaking and ending it', async ({
    onTestFinished,
  }) => {
    // A unique name, because the call of a failed attempt may still run.
    const name = `Flowers ${randomUUID()}`;
    const agentId = await makeAgent(product, { greeting: 'Welcome to the flower shop.' }, name);
    const client = new CallClient(await requestConnection(product, agentId));
    onTestFinished(() => client.close());
    await client.connect();
    const { page, faults } = await openPage();
    await signIn(page);
    const item = page.locator('#live-calls li', { hasText: name });
    await item.getByRole('button', { name: 'Watch' }).click();
    const transcript = page.locator('#watched-transcript');
    await transcript.getByText('Welcome to the flower shop.').waitFor();
    await page.getByLabel('Have the agent say').fill('A colleague takes over.');
    await page.getByRole('button', { name: 'Say', exact: true }).click();
    await transcript.getByText('A colleague takes over.').waitFor();
    await page.getByRole('button', { name: 'Listen' }).click();
    const playedSeconds = () =>
      page
        .locator('#live-player')
        .evaluate((audio: unknown) => (audio as { readonly currentTime: number }).currentTime);
    await expect.poll(playedSeconds, { timeout: 30_000 }).toBeGreaterThan(0);
    if (process.env.SCREENSHOTS) {
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/live.png`, fullPage: true });
    }
    await page.getByRole('button', { name: 'End call' }).click();
    await page.locator('#watched-state', { hasText: 'The operator ended the call' }).waitFor();
    expect((await client.waitFor('end')).reason).toBe('operator_ended');
    expect(faults).toEqual([]);
    await page.close();
  });

  it('loads the API reference from this server only', async () => {
    const { page, faults } = await openPage();
    const foreignRequests: string[] = [];
    page.on('request', (request) => {
      if (!/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(product.url)) {
        foreignRequests.push(request.url());
      }
    });
    await page.goto(`${product.url}/docs`);
    await page.getByText('/api/v1/tts/speech/stream').waitFor();
    expect(foreignRequests).toEqual([]);
    expect(faults).toEqual([]);
    if (process.env.SCREENSHOTS) {
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/docs.png` });
    }
    await page.close();
  });
});
