import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StepFailure } from './step-failure.mjs';

const MIN_NODE = [20, 19];
const NEEDED = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'tsconfig.json',
  'scripts/build.mjs',
  'media',
  'agents-runtime',
  'src',
  'tools',
  'test',
];

/** @param {string} version as in `process.versions.node` @throws {StepFailure} if it is too old */
export function checkNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return;
  throw new StepFailure(
    `Node ${version} is too old: install Node ${MIN_NODE.join('.')} or later and run the same command again.`,
  );
}

/** @param {string} root @throws {StepFailure} if a part of the repository is missing */
export function checkCheckout(root) {
  const missing = NEEDED.find((path) => !existsSync(join(root, path)));
  if (!missing) return;
  throw new StepFailure(
    `${root} lacks ${missing}: run \`git checkout -- .\` there, or clone the repository again.`,
  );
}
