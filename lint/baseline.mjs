import { readFileSync, writeFileSync } from 'node:fs';

/** Accepted findings of today's code. Entries may be removed, never added. */
const FILE = new URL('./baseline.json', import.meta.url);

/** @returns {{dependencies: string[], proseLinesPerThousand: number}} */
export const readBaseline = () => JSON.parse(readFileSync(FILE, 'utf8'));

/** Replaces one entry of the baseline file. */
export function writeBaseline(change) {
  writeFileSync(FILE, `${JSON.stringify({ ...readBaseline(), ...change }, null, 2)}\n`);
}
