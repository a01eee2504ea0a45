import type { ObservedEffect } from './replay-format.js';

/** Times that differ by no more are the same: figures are rounded on their way. */
const SAME_MS = 2;
/** Beyond so many happenings on either side only the first difference is looked for. */
const MAX_ALIGNED = 3_000;

/** Two calls side by side: what both did, and what only one of them did or did differently. */
export type Difference =
  | { readonly type: 'missing'; readonly recorded: ObservedEffect }
  | { readonly type: 'new'; readonly replayed: ObservedEffect }
  | {
      readonly type: 'changed';
      readonly recorded: ObservedEffect;
      readonly replayed: ObservedEffect;
    };

/** What differs between what a call did then and what it does now, in the order of time. */
export function diffEffects(
  recorded: readonly ObservedEffect[],
  replayed: readonly ObservedEffect[],
): readonly Difference[] {
  const found: Difference[] = [];
  for (const [then, now] of aligned(recorded, replayed)) {
    if (then && now) {
      if (!isSame(then, now)) found.push({ type: 'changed', recorded: then, replayed: now });
    } else if (then) found.push({ type: 'missing', recorded: then });
    else if (now) found.push({ type: 'new', replayed: now });
  }
  return found;
}

type Pair = readonly [ObservedEffect | undefined, ObservedEffect | undefined];

/** Pairs what is the same but for its numbers, in order: the longest common subsequence. */
function aligned(
  left: readonly ObservedEffect[],
  right: readonly ObservedEffect[],
): readonly Pair[] {
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

/** All of a happening that is no number. */
function kindOf(happening: ObservedEffect): string {
  return JSON.stringify(happening, (_, value) => (typeof value === 'number' ? undefined : value));
}

function isSame(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) <= SAME_MS;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return a === b;
  const left = new Map(Object.entries(a));
  const right = new Map(Object.entries(b));
  return [...new Set([...left.keys(), ...right.keys()])].every((key) =>
    isSame(left.get(key), right.get(key)),
  );
}
