// Line coverage per layer of both tiers: vitest's report of the test processes, merged with the
// coverage that started programs write (NODE_V8_COVERAGE).
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTests } from './test-run.mjs';

const LAYERS = ['media', 'agents-runtime', 'src'];
const MIN_LINES_PERCENT = 90;
/** Not measured by V8: threads that are terminated, and programs that only construct objects. */
const EXCLUDED = ['**/*.worker.js', '**/main.js', '**/composition/**'];

/**
 * @param {string} root
 * @param {readonly string[]} args for vitest
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{runs: Awaited<ReturnType<typeof runTests>>[], isEnough: boolean}>}
 */
export async function measureCoverage(root, args, env) {
  const folder = join(root, 'coverage');
  const children = join(folder, 'children');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(children, { recursive: true });
  const { default: coverage } = await import('istanbul-lib-coverage');
  const map = coverage.createCoverageMap({});
  const runs = [];
  for (const tier of ['core', 'rest']) {
    const reports = join(folder, tier);
    const options = [
      '--coverage.enabled',
      '--coverage.provider=v8',
      '--coverage.reporter=json',
      '--coverage.reportOnFailure',
      `--coverage.reportsDirectory=${reports}`,
      ...LAYERS.map((layer) => `--coverage.include=dist/${layer}/**/*.js`),
      ...EXCLUDED.map((pattern) => `--coverage.exclude=${pattern}`),
    ];
    const tests = { ...env, PARLEY_TEST_COVERAGE: children };
    runs.push(await runTests(root, tier, [...options, ...args], tests));
    const file = join(reports, 'coverage-final.json');
    if (existsSync(file)) map.merge(JSON.parse(readFileSync(file, 'utf8')));
  }
  await mergeChildren(root, children, map);
  // Scripts of the page are copied, not transpiled: they run in browsers, which are not measured.
  map.filter((file) => !file.startsWith(join(root, 'dist', '/')));
  await writeReports(folder, map);
  return { runs, isEnough: printLayers(root, map) };
}

/** Adds the raw coverage of started programs for the files in vitest's report. */
async function mergeChildren(root, folder, map) {
  const { mergeProcessCovs } = await import('@bcoe/v8-coverage');
  const { convert } = await import('ast-v8-to-istanbul');
  const { parseAstAsync } = await import('vitest/node');
  let merged = { result: [] };
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const own = result.filter(({ url }) => sourceOf(root, url) !== undefined);
    merged = mergeProcessCovs([merged, { result: own }]);
    rmSync(join(folder, name));
  }
  for (const coverage of merged.result) {
    if (!map.files().includes(sourceOf(root, coverage.url))) continue;
    const path = fileURLToPath(coverage.url);
    const code = readFileSync(path, 'utf8');
    const sourceMap = JSON.parse(readFileSync(`${path}.map`, 'utf8'));
    map.merge(await convert({ code, sourceMap, coverage, ast: parseAstAsync(code) }));
  }
}

/** The source of an output, by its URL; undefined for other URLs. */
function sourceOf(root, url) {
  if (!url.startsWith('file://') || !url.endsWith('.js')) return undefined;
  const path = relative(join(root, 'dist'), fileURLToPath(url));
  const isOurs = LAYERS.some((layer) => path.startsWith(`${layer}/`));
  return isOurs ? join(root, path.replace(/\.js$/, '.ts')) : undefined;
}

async function writeReports(folder, coverageMap) {
  const { default: report } = await import('istanbul-lib-report');
  const { default: reports } = await import('istanbul-reports');
  const context = report.createContext({ dir: folder, coverageMap });
  reports.create('html').execute(context);
  // One row per file, with its uncovered lines.
  reports.create('text', { file: 'files.txt', maxCols: 200 }).execute(context);
}

/** @returns whether each layer reaches the minimum */
function printLayers(root, map) {
  const percents = LAYERS.map((layer) => {
    const files = map.files().filter((file) => file.startsWith(join(root, layer, '/')));
    const summaries = files.map((file) => map.fileCoverageFor(file).toSummary().data.lines);
    const sum = (what) => summaries.reduce((total, lines) => total + lines[what], 0);
    const percent = (100 * sum('covered')) / sum('total');
    console.log(`${layer}: ${percent.toFixed(1)} % of ${sum('total')} lines`);
    return percent;
  });
  console.log('Per file, with uncovered lines: coverage/files.txt and coverage/index.html');
  return percents.every((percent) => percent >= MIN_LINES_PERCENT);
}
