// The one launcher behind `npm start`, `npm test`, `npm run models`, `admin`, `bench`, `replay`,
// `simulate` and `soak`. It uses Node's own modules only: in a clean clone nothing else is there yet.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildIfChanged } from './build.mjs';
import { checkCheckout, checkNode } from './checkout.mjs';
import { endWithNpm } from './npm-parent.mjs';
import { installPackages } from './packages.mjs';
import { run } from './run.mjs';
import { diskFullSentence, StepFailure } from './step-failure.mjs';
import { closing } from './test-counts.mjs';
import { runTests } from './test-run.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const MODELS = 'dist/src/models/cli.js';
const [command = '', ...args] = process.argv.slice(2);

const COMMANDS = {
  start: async () => {
    await prepareClone();
    await ensureModels();
    await become('dist/src/main.js');
  },
  test: async () => {
    await prepareClone();
    await ensureModels('--with', 'piper-joe');
    close(await runTests(root, args));
  },
  models: () => prepareClone().then(() => become(MODELS)),
  admin: () => prepareClone().then(() => become('dist/src/admin/cli.js')),
  bench: () => prepareClone().then(() => become('dist/test/bench/main.js')),
  replay: () => prepareClone().then(() => become('dist/src/replay/cli.js')),
  simulate: () => prepareClone().then(() => become('dist/src/telephony/simulate/cli.js')),
  soak: () => prepareClone().then(() => become('dist/test/soak/main.js')),
};

async function prepareClone() {
  checkNode(process.versions.node);
  checkCheckout(root);
  await installPackages(root);
  await buildIfChanged(root);
}

/** The models' own program shows its progress and says what is wrong; we only stop with it. */
async function ensureModels(...options) {
  const { code } = await run(process.execPath, [MODELS, 'ensure', ...options], {
    show: true,
    cwd: root,
  });
  if (code !== 0) throw new StepFailure('', code);
}

/** Goes on as the given program in this very process: signals and exit code are then its own. */
async function become(script) {
  const path = join(root, script);
  process.argv = [process.execPath, path, ...args];
  await import(pathToFileURL(path).href);
}

/** The closing line is the last thing that a test run prints. */
function close({ line, exitCode }) {
  process.exitCode = exitCode;
  console.log(line);
}

function sentenceFor(error) {
  if (error instanceof StepFailure) return error.message;
  const text = error instanceof Error ? `${error.code ?? ''} ${error.message}` : String(error);
  return diskFullSentence(text) ?? `The launcher met a fault of its own: ${text.trim()}`;
}

try {
  const action = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (!action) {
    throw new StepFailure(`Say which command: ${Object.keys(COMMANDS).join(', ')}.`, 2);
  }
  endWithNpm();
  await action();
} catch (error) {
  const sentence = sentenceFor(error);
  if (sentence) console.error(sentence);
  process.exitCode = error instanceof StepFailure ? error.exitCode : 1;
  if (command === 'test') close(closing(undefined, process.exitCode));
}
