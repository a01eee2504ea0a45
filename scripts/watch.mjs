import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { build, TREES } from './build.mjs';
import { run } from './run.mjs';
import { StepFailure } from './step-failure.mjs';
import { projectsOf, vitestProgram } from './test-run.mjs';

/** Delay after a file event in ms, because saving a file causes several events. */
const DEBOUNCE_MS = 50;

/**
 * Reruns the tests affected by an edit until it is interrupted. It transpiles changed sources into
 * dist, which vitest watches, and runs the type checker in parallel.
 * @param {string} root
 * @param {readonly string[]} args for vitest; without file filters the first tier is watched
 */
export async function watchTests(root, args) {
  let timer;
  let building = Promise.resolve();
  const rebuild = () => {
    building = building.then(() => build(root)).catch(printStepFailure);
  };
  const watchers = TREES.map((tree) =>
    watch(join(root, tree), { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(rebuild, DEBOUNCE_MS);
    }),
  );
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const checking = ['-p', root, '--watch', '--preserveWatchOutput'];
  // In a separate process group: the compiler is a child of its launcher, which forwards no
  // signals.
  const types = spawn(process.execPath, [compiler, ...checking], {
    stdio: 'inherit',
    detached: true,
  });
  types.unref();
  process.once('exit', () => {
    if (types.exitCode === null && types.signalCode === null) process.kill(-types.pid);
  });
  try {
    // Without changed files in dist, which git ignores, `--changed` first reads the dependencies of
    // all tests and runs none; later it runs the tests that depend on written files.
    const options = ['watch', '--changed', ...projectsOf('core'), ...args];
    await run(process.execPath, [vitestProgram(root), ...options], { show: true, cwd: root });
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

function printStepFailure(error) {
  if (!(error instanceof StepFailure)) throw error;
  console.error(error.message);
}
