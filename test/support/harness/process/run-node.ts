import { execFile } from 'node:child_process';

/** Exit code and output of a program. */
export interface ProgramResult {
  readonly code: number;
  readonly output: string;
  /** The last line of standard output. */
  readonly lastLine: string;
}

const TIME_LIMIT_MS = 110_000;

/** The environment without the variables that vitest and the launcher set for tests. */
export function plainEnv(): NodeJS.ProcessEnv {
  const isPlain = ([name]: [string, unknown]) =>
    !/^(VITEST.*|TEST|NODE_ENV|CI|REQUIRE_ALL|PARLEY_T.*)$/.test(name);
  return { ...Object.fromEntries(Object.entries(process.env).filter(isPlain)), ...coverageEnv() };
}

/**
 * Under `npm run coverage`, makes Node write coverage data. Only the programs under test may
 * inherit it.
 */
export function coverageEnv(): NodeJS.ProcessEnv {
  const folder = process.env.PARLEY_TEST_COVERAGE;
  return folder === undefined ? {} : { NODE_V8_COVERAGE: folder };
}

/** Runs Node with these arguments and exactly this environment until it exits. */
export function runNode(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const options = { cwd, env, timeout: TIME_LIMIT_MS };
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : 1) : 0;
      const lastLine = stdout.trimEnd().split('\n').at(-1) ?? '';
      resolve({ code, output: stdout + stderr, lastLine });
    });
  });
}
