import { z } from 'zod';
import { runInSteps, type SteppedTask } from '../../../../media/async/cooperative.js';

/** Items of a list that are checked in one step, in about a millisecond. */
const ITEMS_AT_ONCE = 200;

type Result = z.ZodSafeParseResult<unknown>;
type Issue = z.core.$ZodIssue;

/**
 * Checks a value like `safeParse`. A long list in a field of an object is checked in steps, so that ten
 * thousand rules do not block the event loop. A list that is too long is rejected as a whole.
 */
export function parseInSlices(
  schema: z.ZodType,
  raw: unknown,
  pause?: () => Promise<unknown>,
): Promise<Result> {
  return runInSteps(parsing(schema, raw), pause);
}

function* parsing(schema: z.ZodType, raw: unknown): SteppedTask<Result> {
  const long = longListOf(schema, raw);
  if (!long) return schema.safeParse(raw);
  const { object, name, list, items } = long;
  const issues: Issue[] = [];
  const parsed: unknown[] = [];
  const most = maximumOf(list);
  if (items.length > most) issues.push(tooLong(name, most));
  else {
    const part = z.array(list.element as z.ZodType);
    for (let at = 0; at < items.length; at += ITEMS_AT_ONCE) {
      const result = part.safeParse(items.slice(at, at + ITEMS_AT_ONCE));
      for (const item of result.data ?? []) parsed.push(item);
      for (const issue of result.error?.issues ?? []) {
        const [index, ...rest] = issue.path;
        issues.push({ ...issue, path: [name, at + Number(index), ...rest] });
      }
      yield;
    }
  }
  const others = z.object({ ...object.shape, [name]: z.unknown() }).safeParse(raw);
  issues.push(...(others.error?.issues ?? []));
  if (issues.length === 0) return { success: true, data: { ...others.data, [name]: parsed } };
  const order = Object.keys(object.shape);
  const placeOf = ({ path }: Issue) => order.indexOf(String(path[0]));
  issues.sort((a, b) => placeOf(a) - placeOf(b));
  return { success: false, error: new z.ZodError(issues) };
}

/** The first field with a long list. Objects with their own rules are not parsed in steps. */
function longListOf(schema: z.ZodType, raw: unknown) {
  if (!(schema instanceof z.ZodObject) || schema.def.checks?.length || schema.def.catchall) {
    return undefined;
  }
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return undefined;
  for (const [name, field] of Object.entries(schema.shape)) {
    const items = Object.hasOwn(raw, name) ? (raw as Record<string, unknown>)[name] : undefined;
    if (!Array.isArray(items) || items.length <= ITEMS_AT_ONCE) continue;
    const list = listIn(field);
    if (list) return { object: schema, name, list, items: items as readonly unknown[] };
  }
  return undefined;
}

/** The list in a field; undefined if the field has its own rules. */
function listIn(field: z.core.$ZodType): z.ZodArray | undefined {
  let inner = field;
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodNullable ||
    inner instanceof z.ZodDefault
  ) {
    if (inner.def.checks?.length) return undefined;
    inner = inner.def.innerType;
  }
  if (!(inner instanceof z.ZodArray)) return undefined;
  const isLengthOnly = (inner.def.checks ?? []).every(({ _zod: { def } }) =>
    ['max_length', 'min_length'].includes(def.check),
  );
  return isLengthOnly ? inner : undefined;
}

function maximumOf(list: z.ZodArray): number {
  const maxima = (list.def.checks ?? []).map(({ _zod: { def } }) =>
    'maximum' in def ? Number(def.maximum) : Number.POSITIVE_INFINITY,
  );
  return Math.min(...maxima);
}

function tooLong(name: string, most: number): Issue {
  return {
    code: 'too_big',
    origin: 'array',
    maximum: most,
    inclusive: true,
    path: [name],
    message: 'The list is too long',
  };
}
