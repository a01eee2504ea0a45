/** A long run: receives the arguments after its name and returns the exit code. */
type Soak = (args: readonly string[]) => Promise<number>;

/** Loaded on demand, because runs have different requirements. */
const SOAKS: Readonly<Record<string, () => Promise<{ readonly run: Soak }>>> = {
  calls: () => import('./calls.js'),
  ends: () => import('./ends.js'),
  indexing: () => import('./indexing.js'),
  kill: () => import('./kill.js'),
  recordings: () => import('./recordings.js'),
  schemathesis: () => import('./schemathesis.js'),
  telephony: () => import('./telephony.js'),
};

const [name = '', ...args] = process.argv.slice(2);
const load = Object.hasOwn(SOAKS, name) ? SOAKS[name] : undefined;
if (load) {
  process.exitCode = await (await load()).run(args);
} else {
  console.error(
    `usage: npm run soak -- ${Object.keys(SOAKS).join('|')} [--rounds N] [--minutes N] [--examples N] [--documents N] [--calls N]`,
  );
  process.exitCode = 2;
}
