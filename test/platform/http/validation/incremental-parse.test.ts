import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { parseInSlices } from '../../../../src/platform/http/validation/incremental-parse.js';
import {
  bool,
  list,
  model,
  str,
} from '../../../../src/platform/http/validation/schema-builders.js';
import { validationErrorsOf } from '../../../../src/platform/http/validation/validation-errors.js';

const Item = model({ word: str({ min: 1 }), is_odd: bool().default(false) });
const Body = model({
  before: str(),
  items: list(Item, { max: 5_000 }).default([]),
  after: str().optional(),
});

const items = (count: number) => Array.from({ length: count }, (_, i) => ({ word: `w${i}` }));

async function parsed(schema: z.ZodType, raw: unknown) {
  let pauses = 0;
  const result = await parseInSlices(schema, raw, async () => void pauses++);
  return { result, pauses };
}

/** The result or the errors, as in a response. */
const describeResult = (raw: unknown, result: z.ZodSafeParseResult<unknown>) =>
  validationErrorsOf('body', raw, result.error?.issues ?? []);

describe('body with a long list', () => {
  it('is validated in steps with the same result as at once', async () => {
    const raw = { before: 'x', items: items(4_000), more: 1 };
    const { result, pauses } = await parsed(Body, raw);
    expect(result).toEqual(Body.safeParse(raw));
    expect(result.success).toBe(true);
    expect(pauses).toBeGreaterThanOrEqual(20);
    expect((await parsed(Body, { before: 'x', items: items(10) })).pauses).toBe(0);
  });

  it('has the same errors in the same order', async () => {
    const bad: unknown[] = items(1_000);
    bad[0] = { word: '' };
    bad[777] = { word: 5, is_odd: 'perhaps' };
    bad[999] = 'no object';
    const raw = { items: bad, after: 7 };
    const { result } = await parsed(Body, raw);
    expect(describeResult(raw, result)).toEqual(describeResult(raw, Body.safeParse(raw)));
    expect(describeResult(raw, result).length).toBe(6);
  });

  it('is rejected without validation if the list is too long', async () => {
    const raw = { before: 'x', items: items(5_001) };
    const { result, pauses } = await parsed(Body, raw);
    expect(describeResult(raw, result)).toEqual(describeResult(raw, Body.safeParse(raw)));
    expect([result.success, pauses]).toEqual([false, 0]);
  });

  it('is subject to the rules of its object and of its list', async () => {
    const isShort = ({ items: all }: { items: unknown[] }) => all.length < 300;
    const ruled = Body.refine(isShort, 'too many');
    const unique = model({ items: list(str()).refine((all) => new Set(all).size === all.length) });
    for (const [schema, raw] of [
      [ruled, { before: 'x', items: items(400) }],
      [unique, { items: Array(400).fill('x') }],
    ] as const) {
      expect((await parsed(schema, raw)).result.success).toBe(false);
    }
  });
});
