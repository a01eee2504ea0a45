import { execFile } from 'node:child_process';

/** How a program ended, and all that it printed. */
export interface Ended {
  readonly code: number;
  readonly output: string;
  /** The last line of the standard output. */
  readonly lastLine: string;
}

const TIME_LIMIT_MS = 110_000;

/** Our own environment, without the variables by which vitest and the launcher mark a test's. */
export function plainEnv(): NodeJS.ProcessEnv {
  const isPlain = ([name]: [string, unknown]) =>
    !/^(VITEST.*|TEST|NODE_ENV|CI|REQUIRE_ALL|PARLEY_T.*)$/.test(name);
  return { ...Object.fromEntries(Object.entries(process.env).filter(isPlain)), ...coverageEnv() };
}

/** Under `npm run coverage`, makes Node write which code it ran; nothing else must inherit this. */
export function coverageEnv(): NodeJS.ProcessEnv {
  const folder = process.env.PARLEY_TEST_COVERAGE;
  return folder === undefined ? {} : { NODE_V8_COVERAGE: folder };
}

/** Runs Node with these arguments, and this environment alone, to its end. */
export function runNode(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd, env, timeout: TIME_LIMIT_MS };
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : 1) : 0;
      const lastLine = stdout.trimEnd().split('\n').at(-1) ?? '';
      resolve({ code, output: stdout + stderr, lastLine });
    });
  });
}
