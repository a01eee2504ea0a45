// Checks the rules in dependency-cruiser.mjs. Known violations are listed in baseline.json: a violation
// that is not listed fails, and so does an entry whose violation is gone. `--shrink` removes such entries.
import { cruise } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { readBaseline, writeBaseline } from './baseline.mjs';

const TREES = ['media', 'agents-runtime', 'src', 'tools', 'test', 'scripts'];
/** With an unsupported TypeScript version, dependency-cruiser reads almost no module and finds nothing. */
const MIN_MODULES = 500;
const MAX_PRINTED = 30;

const options = await extractOptions('./lint/dependency-cruiser.mjs');
const { output } = await cruise(TREES, options, undefined, {
  tsConfig: extractTsConfig(options.tsConfig.fileName),
});
const moduleCount = output.modules.filter(({ source }) =>
  TREES.some((tree) => source.startsWith(`${tree}/`)),
).length;
const found = new Map(
  output.summary.violations.map((violation) => [
    `${violation.rule.name}: ${violation.from} -> ${violation.to}`,
    violation,
  ]),
);
const known = readBaseline().dependencies;
const added = [...found].filter(([key]) => !known.includes(key));
let stale = known.filter((key) => !found.has(key));
if (process.argv.includes('--shrink') && moduleCount >= MIN_MODULES) {
  writeBaseline({ dependencies: known.filter((key) => found.has(key)) });
  stale = [];
}

// One import in the wrong direction can close dozens of folder cycles: print it before them.
const isFolderCycle = ([key]) => key.startsWith('no-folder-cycles');
const ordered = added.toSorted((a, b) => Number(isFolderCycle(a)) - Number(isFolderCycle(b)));
for (const [key, { cycle, comment }] of ordered.slice(0, MAX_PRINTED)) {
  console.error(`New violation: ${key}`);
  if (cycle) console.error(`  cycle: ${cycle.map(({ name }) => name).join(' -> ')}`);
  if (comment) console.error(`  ${comment}`);
}
if (added.length > MAX_PRINTED) console.error(`… and ${added.length - MAX_PRINTED} more.`);
for (const key of stale) {
  console.error(`Fixed, so remove it from lint/baseline.json (or run with --shrink): ${key}`);
}
if (moduleCount < MIN_MODULES) {
  console.error(`Only ${moduleCount} modules were read; expected at least ${MIN_MODULES}.`);
}
console.log(
  `${moduleCount} modules, ${added.length} new violations, ${found.size - added.length} known, ${stale.length} stale.`,
);
if (added.length > 0 || stale.length > 0 || moduleCount < MIN_MODULES) process.exitCode = 1;
