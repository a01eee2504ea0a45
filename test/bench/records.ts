import type { RecordsSection } from './records-section.js';

const SECTIONS: Readonly<Record<string, () => Promise<{ readonly measure: RecordsSection }>>> = {
  history: () => import('./records-history.js'),
  recordings: () => import('./records-recordings.js'),
  lateness: () => import('./records-lateness.js'),
};

/**
 * Measures call records: all parts, or the named one. `--json` prints JSON; `--calls=N` sets the
 * rows of the history.
 */
export async function run(args: readonly string[]): Promise<number> {
  const named = args.filter((arg) => !arg.startsWith('-'));
  const calls = Number(args.find((arg) => arg.startsWith('--calls='))?.slice(8) ?? 1_000_000);
  const unknown = named.find((name) => !Object.hasOwn(SECTIONS, name));
  if (unknown !== undefined || !Number.isSafeInteger(calls) || calls < 1_000) {
    console.error(
      `usage: npm run bench -- records [${Object.keys(SECTIONS).join('|')}] [--calls=N] [--json]`,
    );
    return 2;
  }
  const reportProgress = (text: string) => console.error(text);
  const figuresByPart: Record<string, object> = {};
  let isMet = true;
  for (const name of named.length > 0 ? named : Object.keys(SECTIONS)) {
    const { measure } = await SECTIONS[name]!();
    const section = await measure({ reportProgress, calls });
    isMet &&= section.isMet;
    figuresByPart[name] = { ...section.figures, isMet: section.isMet };
    if (!args.includes('--json')) console.log([name, ...section.lines, ''].join('\n'));
  }
  if (args.includes('--json'))
    console.log(JSON.stringify({ ...figuresByPart, isMet }, undefined, 2));
  return isMet ? 0 : 1;
}
