import { TOLERANCE_MS } from './recorded-responses.js';
import type { ReplayLine } from './replay-format.js';

/** Numbers that are not times. */
const EXACT: readonly string[] = ['index', 'turn', 'utterance'];
/** Only this many lines of either side are aligned. */
const MAX_ALIGNED = 3_000;

/** A line of only one of two calls, or of both with another content or another time. */
export type Difference =
  | { readonly type: 'missing'; readonly recorded: ReplayLine }
  | { readonly type: 'new'; readonly replayed: ReplayLine }
  | {
      readonly type: 'changed';
      readonly recorded: ReplayLine;
      readonly replayed: ReplayLine;
    };

/**
 * The differences between two calls by more than the tolerance, in the order of time. Lines of different
 * types may change places within the tolerance.
 */
export function diffEffects(
  recorded: readonly ReplayLine[],
  replayed: readonly ReplayLine[],
): readonly Difference[] {
  const types = new Set([...recorded, ...replayed].map(({ type }) => type));
  return [...types]
    .flatMap((type) =>
      diffOfType(
        recorded.filter((line) => line.type === type),
        replayed.filter((line) => line.type === type),
      ),
    )
    .sort((a, b) => timeOf(a) - timeOf(b));
}

function diffOfType(recorded: readonly ReplayLine[], replayed: readonly ReplayLine[]) {
  const found: Difference[] = [];
  for (const [then, now] of aligned(recorded, replayed)) {
    if (then && now) {
      if (!isSame(then, now)) found.push({ type: 'changed', recorded: then, replayed: now });
    } else if (then) found.push({ type: 'missing', recorded: then });
    else if (now) found.push({ type: 'new', replayed: now });
  }
  return found;
}

function timeOf(difference: Difference): number {
  return 'recorded' in difference ? difference.recorded.t : difference.replayed.t;
}

type Pair = readonly [ReplayLine | undefined, ReplayLine | undefined];

/** Pairs lines that are equal except for their numbers, in order: the longest common subsequence. */
function aligned(left: readonly ReplayLine[], right: readonly ReplayLine[]): readonly Pair[] {
  const a = left.slice(0, MAX_ALIGNED).map(kindOf);
  const b = right.slice(0, MAX_ALIGNED).map(kindOf);
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const pairs: Pair[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) pairs.push([left[i++], right[j++]]);
    else if (
      j >= b.length ||
      (i < a.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)
    ) {
      pairs.push([left[i++], undefined]);
    } else pairs.push([undefined, right[j++]]);
  }
  return pairs;
}

/** All of a line except its numbers. */
export function kindOf(line: ReplayLine): string {
  return JSON.stringify(line, (_, value) => (typeof value === 'number' ? undefined : value));
}

function isSame(a: unknown, b: unknown, key = ''): boolean {
  if (typeof a === 'number' && typeof b === 'number' && !EXACT.includes(key)) {
    return Math.abs(a - b) <= TOLERANCE_MS;
  }
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return a === b;
  const left = new Map(Object.entries(a));
  const right = new Map(Object.entries(b));
  return [...new Set([...left.keys(), ...right.keys()])].every((name) =>
    isSame(left.get(name), right.get(name), name),
  );
}
