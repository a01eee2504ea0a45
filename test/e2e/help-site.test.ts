import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { launchBrowser } from '../support/harness/call/call-page.js';
import { startProduct } from '../support/harness/process/product.js';
import { describeWith } from '../support/harness/process/required-tools.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The first build installs the npm packages of the site. */
const BUILD_TIMEOUT_MS = 600_000;

describeWith(['chromium'], 'documentation site', ({ chromium }) => {
  it(
    'builds without dead links and is served at /help, with search and diagrams',
    async () => {
      execFileSync(process.execPath, ['scripts/docs.mjs', 'build'], { cwd: ROOT });
      const product = await startProduct();
      const browser = await launchBrowser(chromium);
      try {
        const page = await browser.newPage();
        const errors: string[] = [];
        page.on('pageerror', ({ message }) => errors.push(message));
        page.on('console', (message) => {
          if (message.type() === 'error') errors.push(message.text());
        });
        await page.goto(`${product.url}/help/tutorials/first-agent.html`);
        await page.getByRole('heading', { name: 'Your first agent in five minutes' }).waitFor();
        await page.goto(`${product.url}/help/contributing/architecture.html`);
        await page.locator('.mermaid svg').first().waitFor();
        await page.goto(`${product.url}/help/`);
        await page.getByRole('button', { name: 'Search' }).click();
        await page.getByRole('searchbox').fill('AudioSocket');
        await page.locator('.results .result').first().waitFor();
        expect(errors).toEqual([]);
      } finally {
        await browser.close();
        await product.stop();
      }
    },
    BUILD_TIMEOUT_MS,
  );
});
