// `npm run docs` serves the documentation with live reload, and `npm run docs:build` builds it into
// docs/.vitepress/dist, which the gateway serves at `/help`. Its packages are installed on first
// use.
import { fileURLToPath } from 'node:url';
import { checkNode } from './checkout.mjs';
import { installPackages } from './packages.mjs';
import { run } from './run.mjs';

const docs = fileURLToPath(new URL('../docs', import.meta.url));
const [command = 'build', ...args] = process.argv.slice(2);

try {
  checkNode(process.versions.node);
  await installPackages(docs);
  const vitepress = 'node_modules/vitepress/bin/vitepress.js';
  const { code } = await run(process.execPath, [vitepress, command, '.', ...args], {
    cwd: docs,
    show: true,
  });
  process.exitCode = code;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
