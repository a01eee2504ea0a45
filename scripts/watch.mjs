import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { build, TREES } from './build.mjs';
import { run } from './run.mjs';
import { StepFailure } from './step-failure.mjs';
import { projectsOf, vitestProgram } from './test-run.mjs';

/** One save of an editor makes several events. */
const DEBOUNCE_MS = 50;

/**
 * Reruns the tests that an edit affects, until it is interrupted: it transpiles changed sources into
 * dist, where vitest watches them, and the compiler checks types beside it.
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
  // In a process group of its own: the compiler is a child of its launcher, which hands no signal on.
  const types = spawn(process.execPath, [compiler, ...checking], {
    stdio: 'inherit',
    detached: true,
  });
  types.unref();
  process.once('exit', () => {
    if (types.exitCode === null && types.signalCode === null) process.kill(-types.pid);
  });
  try {
    // With no changed file in dist, which git ignores, `--changed` starts by reading which test depends on
    // which file, and runs nothing; from then on it runs the tests that depend on what is written.
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
