import { execFile } from 'node:child_process';

/** How a program ended, and all that it printed. */
export interface Ended {
  readonly code: number;
  readonly output: string;
  /** The last line of the standard output. */
  readonly lastLine: string;
}

const TIME_LIMIT_MS = 110_000;

/** Runs Node with these arguments to its end, without the variables by which vitest marks its own. */
export function runNode(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Ended> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|TEST$|PARLEY_TOOLS|PARLEY_TEST)/.test(name),
  );
  const env = { ...Object.fromEntries(inherited), NODE_ENV: undefined, CI: '', ...options.env };
  return new Promise((resolve) => {
    const { cwd } = options;
    execFile(
      process.execPath,
      args,
      { cwd, env, timeout: TIME_LIMIT_MS },
      (error, stdout, stderr) => {
        const code = error ? (typeof error.code === 'number' ? error.code : 1) : 0;
        const lastLine = stdout.trimEnd().split('\n').at(-1) ?? '';
        resolve({ code, output: stdout + stderr, lastLine });
      },
    );
  });
}
