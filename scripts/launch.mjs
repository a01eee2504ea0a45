// The launcher behind `npm start`, `npm test`, `npm run test:all`, `test:watch`, `coverage`,
// `models`, `admin`, `bench`, `replay`, `simulate` and `soak`. It imports only Node's own modules,
// because a clean clone has no packages yet.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { checkCheckout, checkNode } from './checkout.mjs';
import { measureCoverage } from './coverage.mjs';
import { prepare, TEST_NEEDS } from './needs.mjs';
import { endWithNpm } from './npm-parent.mjs';
import { installPackages } from './packages.mjs';
import { run } from './run.mjs';
import { diskFullSentence, StepFailure } from './step-failure.mjs';
import { closing } from './test-counts.mjs';
import { runTests } from './test-run.mjs';
import { checkTypes } from './typecheck.mjs';
import { watchTests } from './watch.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const MODELS = 'dist/tools/models/main.js';
const [command = '', ...args] = process.argv.slice(2);

const COMMANDS = {
  start: async () => {
    await prepareClone();
    await ensureModels();
    await become('dist/src/main.js');
  },
  // File filters and other arguments select from all tests.
  test: async () => {
    await prepareTests();
    close([await runTests(root, args.length > 0 ? undefined : 'core', args)]);
  },
  'test:all': async () => {
    await prepareTests();
    const env = await preparedTools();
    close([
      await runTests(root, 'core', inEitherTier(), env),
      await runTests(root, 'rest', inEitherTier(), env),
    ]);
  },
  coverage: async () => {
    await prepareTests();
    const { runs, isEnough } = await measureCoverage(root, inEitherTier(), await preparedTools());
    close(runs);
    if (!isEnough) process.exitCode = 1;
  },
  'test:watch': async () => {
    await prepareClone();
    await ensureModels('--with', 'piper-joe');
    await watchTests(root, args);
  },
  models: () => prepareClone().then(() => become(MODELS)),
  admin: () => prepareClone().then(() => become('dist/tools/admin/main.js')),
  bench: () => prepareClone().then(() => become('dist/test/bench/main.js')),
  replay: () => prepareClone().then(() => become('dist/tools/replay/main.js')),
  simulate: () => prepareClone().then(() => become('dist/tools/simulator/main.js')),
  soak: () => prepareClone().then(() => become('dist/test/soak/main.js')),
};

/** A file filter may match files of one tier only. */
const inEitherTier = () => ['--passWithNoTests', ...args];

async function preparedTools() {
  return { PARLEY_TOOLS: JSON.stringify(await prepare(TEST_NEEDS)) };
}

async function prepareTests() {
  await prepareClone();
  await checkTypes(root);
  await ensureModels('--with', 'piper-joe');
}

async function prepareClone() {
  checkNode(process.versions.node);
  checkCheckout(root);
  await installPackages(root);
  await build(root);
}

/** The models program shows its progress and reports errors; a failure only ends the launcher. */
async function ensureModels(...options) {
  const { code } = await run(process.execPath, [MODELS, 'ensure', ...options], {
    show: true,
    cwd: root,
  });
  if (code !== 0) throw new StepFailure('', code);
}

/** Runs the program in this process, which keeps its signals and exit code. */
async function become(script) {
  const path = join(root, script);
  process.argv = [process.execPath, path, ...args];
  await import(pathToFileURL(path).href);
}

/** Prints the last line of a test run. */
function close(runs) {
  const { line, exitCode } = closing(runs, { requireAll: process.env.REQUIRE_ALL === '1' });
  process.exitCode = exitCode;
  console.log(line);
}

function sentenceFor(error) {
  if (error instanceof StepFailure) return error.message;
  const text = error instanceof Error ? `${error.code ?? ''} ${error.message}` : String(error);
  return diskFullSentence(text) ?? `The launcher failed with an internal error: ${text.trim()}`;
}

try {
  const action = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (!action) {
    throw new StepFailure(`Add a command: ${Object.keys(COMMANDS).join(', ')}.`, 2);
  }
  endWithNpm();
  await action();
} catch (error) {
  const sentence = sentenceFor(error);
  if (sentence) console.error(sentence);
  process.exitCode = error instanceof StepFailure ? error.exitCode : 1;
  if (['test', 'test:all', 'coverage'].includes(command)) close([{ code: process.exitCode }]);
}
