import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Starts a program beside this one as a process of its own, which knows no setting and no secret. */
export function spawnIsolated(
  program: `./${string}`,
  heapMb: number,
  args: readonly string[] = [],
): ChildProcess {
  return fork(fileURLToPath(new URL(program, import.meta.url)), args, {
    env: {},
    execArgv: [`--max-old-space-size=${heapMb}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}
