// `npm run lint` runs all linters and `npm run lint -- NAME…` the named ones. It installs their packages on
// first use. The exit code is 1 if a linter fails.
import { fileURLToPath } from 'node:url';
import { checkNode } from '../scripts/checkout.mjs';
import { installPackages } from '../scripts/packages.mjs';
import { run } from '../scripts/run.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const BIN = 'lint/node_modules/.bin';
const LINTERS = {
  biome: ['node_modules/.bin/biome', 'check', '.'],
  dependencies: ['node', 'lint/dependencies.mjs'],
  knip: [`${BIN}/knip`, '--config', 'lint/knip.jsonc', '--treat-config-hints-as-errors'],
  markdown: [`${BIN}/markdownlint-cli2`],
  spelling: [
    `${BIN}/cspell`,
    '--no-progress',
    '--cache',
    '--cache-location=lint/node_modules/.cache/cspell',
  ],
  prose: ['node', 'lint/prose.mjs'],
};

/** Prints all output of a linter that fails or was named, else only its last line. */
async function lint(name, isNamed) {
  const [command, ...args] = LINTERS[name];
  const startMs = performance.now();
  const { code, output } = await run(command, args, { cwd: root });
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const isVerbose = isNamed || code !== 0;
  if (isVerbose) console.log(output.trimEnd());
  const lastLine = isVerbose ? '' : (output.trim().split('\n').at(-1) ?? '');
  console.log(`${code === 0 ? 'passed' : 'FAILED'}  ${name} (${seconds} s)  ${lastLine}`);
  if (code !== 0) process.exitCode = 1;
}

const named = process.argv.slice(2);
const unknown = named.find((name) => !Object.hasOwn(LINTERS, name));
try {
  if (unknown) {
    throw new Error(`There is no linter "${unknown}": ${Object.keys(LINTERS).join(', ')}.`);
  }
  checkNode(process.versions.node);
  await installPackages(root);
  await installPackages(fileURLToPath(new URL('.', import.meta.url)));
  for (const name of named.length > 0 ? named : Object.keys(LINTERS)) {
    await lint(name, named.length > 0);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
