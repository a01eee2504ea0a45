import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runInSteps, runToEnd } from '../../../media/async/cooperative.js';
import { parseJsonInSteps, stringifyInSteps } from '../../../media/async/incremental-json.js';
import '../../support/harness/process/property-seed.js';

const RULES = Array.from({ length: 10_000 }, (_, i) => ({
  id: null,
  word: `word ${i} "]}[{,\\ é 😀`,
  replacement: `said, [${i}`,
  tags: [i, [i]],
}));

/** The parsed value, or a marker for an error. */
function outcomeOf(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return 'no JSON';
  }
}

async function steps(work: Parameters<typeof runInSteps>[0]): Promise<number> {
  let count = 0;
  await runInSteps(work, async () => void count++);
  return count;
}

const filler = fc.constantFrom('"', '\\', ',', ',,', '[', ']', '{', '}', ':', ' ', '1', 'é', '😀');
const long = fc
  .tuple(fc.integer({ min: 0, max: 40 }), fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 9 }))
  .map(([count, some]) => [
    ...some,
    ...Array.from({ length: count }, (_, i) => ({ i, text: `${'x,"]'.repeat(900)}` })),
    ...some,
  ]);
const document = fc.oneof(
  long,
  fc.record({ a: fc.jsonValue(), list: long, b: fc.jsonValue(), other: long }),
  fc.record({ deep: fc.record({ list: long }), __proto__: fc.constant(1) }),
);

describe('incremental JSON', () => {
  it('is parsed like JSON.parse', () => {
    fc.assert(
      fc.property(document, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(runToEnd(parseJsonInSteps(text))).toEqual(JSON.parse(text));
      }),
      { numRuns: 100 },
    );
  });

  it('is rejected where JSON.parse rejects it', () => {
    fc.assert(
      fc.property(document, filler, fc.nat(), fc.nat(2), (value, more, place, removed) => {
        const text = JSON.stringify(value);
        const at = place % (text.length + 1);
        const changed = text.slice(0, at) + more + text.slice(at + removed);
        const expected = outcomeOf(() => JSON.parse(changed));
        expect(outcomeOf(() => runToEnd(parseJsonInSteps(changed)))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['a missing last item', (text: string) => text.replace(/\]\}$/, ',]}')],
    ['a missing first item', (text: string) => text.replace('[', '[,')],
    [
      'only whitespace between two commas',
      (text: string) => text.replace('[', `[${' '.repeat(99_999)},`),
    ],
    ['an unclosed list', (text: string) => text.slice(0, -2)],
    ['text after the end', (text: string) => `${text}[1]`],
  ])('is rejected for %s', (_, spoiled) => {
    const text = spoiled(JSON.stringify({ rules: RULES }));
    expect(() => runToEnd(parseJsonInSteps(text))).toThrow(SyntaxError);
  });

  it('keeps the last of two fields of the same name, and unusual names', () => {
    const list = JSON.stringify(RULES);
    const text = `{"a":${list},"__proto__":${list},"a":[1]}`;
    const value = runToEnd(parseJsonInSteps(text)) as object;
    expect(value).toEqual(JSON.parse(text));
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('is serialised like JSON.stringify', () => {
    const many = [...RULES, undefined, () => 1, new Date(0)];
    const value = { a: many, none: undefined, some: () => 1, date: new Date(0), b: 'x' };
    for (const any of [value, many, RULES, null, 'x', { b: [1] }]) {
      expect(runToEnd(stringifyInSteps(any))).toBe(JSON.stringify(any));
    }
  });

  it('is parsed and serialised in many steps', async () => {
    const text = JSON.stringify({ name: 'x', rules: RULES });
    expect(await steps(parseJsonInSteps(text))).toBeGreaterThan(text.length / 60_000);
    expect(await steps(stringifyInSteps({ rules: RULES }))).toBeGreaterThanOrEqual(50);
  });
});
