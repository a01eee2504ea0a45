// Counts lines of comments and docs with unusual English constructions, per 1,000 such lines. Prints the
// rate of each folder and fails if the total rate exceeds the one in baseline.json. `--shrink` lowers that
// rate to the current one; `--list` prints the lines.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readBaseline, writeBaseline } from './baseline.mjs';

const UNUSUAL = new RegExp(
  `\\b(?:${[
    'whoever',
    'who (?:is|has|comes|waits|asks|leaves|reads|speaks|listens|takes)',
    '(?:is|are|was|were) told',
    'tells? (?:of|what|how|whether|itself)',
    'told (?:of|by|apart)',
    'hears?',
    'holds its tongue',
    'of (?:which|whom|whose)',
    'so (?:long|many|much)(?! as\\b)',
    'at the most',
    'lets? go',
    'stands? (?:fast|back|still)',
    'anew',
    'beside',
    'perhaps',
    'and no more',
    'has no say',
    'by itself',
    'of (?:its|their) own',
    'on its way',
    'what (?:came|comes)',
    'what is left',
    'as (?:it is|they are)',
    'wants? (?:a|the|to)',
  ].join('|')})\\b`,
  'i',
);
const SLASH_COMMENT = /^\s*(?:\/\/|\/\*|\*(?=[\s/]|$)).*|\s\/\/\s.*/;
const HASH_COMMENT = /^\s*#.*/;
const ANY_TEXT = /.*/;
const KINDS = [
  [/\.(?:ts|m?js)$/, SLASH_COMMENT],
  [/\.(?:ya?ml|py|sh)$|Dockerfile$/, HASH_COMMENT],
  [/\.md$/, ANY_TEXT],
];

function proseLines(path) {
  const pattern = KINDS.find(([name]) => name.test(path))?.[1];
  // A deleted file stays in git's index until the deletion is staged.
  if (!pattern || !existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .map((line, index) => ({ where: `${path}:${index + 1}`, text: pattern.exec(line)?.[0].trim() }))
    .filter(({ text }) => text !== undefined);
}

const perThousand = ({ found, lines }) => Math.round((10_000 * found) / Math.max(lines, 1)) / 10;

// This file names the constructions that it counts.
const paths = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '--', ':!lint/prose.mjs'],
  { encoding: 'utf8', maxBuffer: 2 ** 26 },
);
const total = { found: 0, lines: 0 };
const folders = new Map();
for (const path of new Set(paths.trim().split('\n'))) {
  const folder = dirname(path).split('/').slice(0, 2).join('/');
  const counts = folders.get(folder) ?? { found: 0, lines: 0 };
  for (const { where, text } of proseLines(path)) {
    const isUnusual = UNUSUAL.test(text);
    if (isUnusual && process.argv.includes('--list')) console.log(`${where}: ${text}`);
    for (const sum of [counts, total]) {
      sum.lines += 1;
      sum.found += Number(isUnusual);
    }
  }
  if (counts.lines > 0) folders.set(folder, counts);
}

for (const [folder, counts] of [...folders].sort(([a], [b]) => a.localeCompare(b))) {
  console.log(`${String(perThousand(counts)).padStart(6)}  ${folder} (${counts.lines} lines)`);
}
const rate = perThousand(total);
const accepted = readBaseline().proseLinesPerThousand;
console.log(`${rate} of 1,000 lines (${total.found} of ${total.lines}); accepted: ${accepted}.`);
if (process.argv.includes('--shrink') && rate < accepted) {
  writeBaseline({ proseLinesPerThousand: rate });
}
if (rate > accepted) {
  console.error('Rewrite in plain English what `npm run lint:prose -- --list` shows in new lines.');
  process.exitCode = 1;
}
