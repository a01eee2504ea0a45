import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Starts a program of this folder as a child process without environment and secrets. */
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
