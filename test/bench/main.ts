/** A benchmark: receives the arguments after its name and returns the exit code. */
type Bench = (args: readonly string[]) => Promise<number>;

/** Loaded on demand, because benchmarks have different requirements. */
const BENCHES: Readonly<Record<string, () => Promise<{ readonly run: Bench }>>> = {
  turns: () => import('./turns.js'),
  'first-audio': () => import('./first-audio.js'),
  api: () => import('./api.js'),
  call: () => import('./call.js'),
  density: () => import('./density/density.js'),
  livekit: () => import('./livekit/livekit.js'),
  telephony: () => import('./telephony/telephony.js'),
  endpointing: () => import('./endpointing.js'),
  speech: () => import('./speech.js'),
  echo: () => import('./echo.js'),
  'interrupted-history': () => import('./interrupted-history.js'),
  records: () => import('./records.js'),
  noise: () => import('./noise.js'),
  'llm-overhead': () => import('./llm-overhead.js'),
  knowledge: () => import('./knowledge.js'),
};

const [name = '', ...args] = process.argv.slice(2);
const load = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
if (load) {
  process.exitCode = await (await load()).run(args);
} else {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHES).join('|')} [--json]`);
  process.exitCode = 2;
}
