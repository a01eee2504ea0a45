import { z } from 'zod';
import {
  codePoints,
  counted,
  InvalidField,
  oneOfText,
  toBoolean,
  toInteger,
  toNumber,
  toText,
} from './coerce.js';

/*
 * Builders for the schemas of requests and responses: zod with the coercions and messages of
 * Pydantic v2. A field describes its JSON schema by `.meta()`, so that the OpenAPI document derives
 * from the object that validates. `.optional()`, `.nullable()`, `.default(x)`, `.refine(…)` and
 * z.output work as on any zod schema. null is rejected unless `.nullable()`.
 */

type Json = Readonly<Record<string, unknown>>;

/** A field with its own conversion. `json` is its JSON schema. */
export function custom<T>(read: (value: unknown) => T | InvalidField, json: Json) {
  return z
    .unknown()
    .transform((value, context): T => {
      const outcome =
        value === undefined ? new InvalidField('missing', 'Field required') : read(value);
      if (!(outcome instanceof InvalidField)) return outcome;
      context.issues.push({
        code: 'custom',
        input: value,
        params: outcome.error,
        message: outcome.error.msg,
      });
      return z.NEVER;
    })
    .meta(json);
}

/** Pattern of a printable character, for the OpenAPI document. The check itself has its own message. */
export const PRINTABLE = '[^\\u0000-\\u001f\\u007f-\\u009f]';

export interface TextOptions {
  /** Bounds of the length, in code points. */
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: RegExp;
  /** Accepts U+0000. Only for text that is never stored, because the database cannot store it. */
  readonly allowNul?: boolean;
  readonly description?: string;
  readonly format?: string;
}

/** A string. Lone surrogates are rejected, and U+0000 unless `allowNul`. */
export function str(options: TextOptions = {}) {
  const { min, max, pattern } = options;
  return custom((value) => readText(value, options), {
    type: 'string',
    ...(min === undefined ? {} : { minLength: min }),
    ...(max === undefined ? {} : { maxLength: max }),
    // In other regex dialects, \d matches the digits of every script.
    ...(pattern === undefined ? {} : { pattern: pattern.source.replaceAll('\\d', '[0-9]') }),
    ...(options.format === undefined ? {} : { format: options.format }),
    ...described(options),
  });
}

function readText(value: unknown, options: TextOptions): string | InvalidField {
  const { min = 0, max = Number.POSITIVE_INFINITY, pattern } = options;
  const text = toText(value);
  if (text instanceof InvalidField) return text;
  if (!options.allowNul && text.includes('\0'))
    return InvalidField.ofRule('text must not contain U+0000');
  if (min > 0 || max < text.length) {
    const length = codePoints(text);
    if (length < min) {
      const msg = `String should have at least ${counted(min, 'character')}`;
      return new InvalidField('string_too_short', msg, { min_length: min });
    }
    if (length > max) {
      const msg = `String should have at most ${counted(max, 'character')}`;
      return new InvalidField('string_too_long', msg, { max_length: max });
    }
  }
  if (pattern && !pattern.test(text)) {
    const msg = `String should match pattern '${pattern.source}'`;
    return new InvalidField('string_pattern_mismatch', msg, { pattern: pattern.source });
  }
  return text;
}

export interface NumberOptions {
  readonly ge?: number;
  readonly le?: number;
  readonly gt?: number;
  readonly lt?: number;
  readonly description?: string;
}

/** An integer. */
export function int(options: NumberOptions = {}) {
  return custom((value) => inRange(toInteger(value), options), {
    type: 'integer',
    ...numberJson(options),
  });
}

/** A finite number. */
export function float(options: NumberOptions = {}) {
  return custom((value) => inRange(toNumber(value), options), {
    type: 'number',
    ...numberJson(options),
  });
}

function inRange(
  value: number | InvalidField,
  { ge, le, gt, lt }: NumberOptions,
): number | InvalidField {
  if (value instanceof InvalidField) return value;
  const should = 'Input should be';
  if (ge !== undefined && value < ge) {
    return new InvalidField('greater_than_equal', `${should} greater than or equal to ${ge}`, {
      ge,
    });
  }
  if (gt !== undefined && value <= gt) {
    return new InvalidField('greater_than', `${should} greater than ${gt}`, { gt });
  }
  if (le !== undefined && value > le) {
    return new InvalidField('less_than_equal', `${should} less than or equal to ${le}`, { le });
  }
  if (lt !== undefined && value >= lt) {
    return new InvalidField('less_than', `${should} less than ${lt}`, { lt });
  }
  return value;
}

function numberJson(options: NumberOptions): Json {
  const { ge, le, gt, lt } = options;
  return {
    ...(ge === undefined ? {} : { minimum: ge }),
    ...(le === undefined ? {} : { maximum: le }),
    ...(gt === undefined ? {} : { exclusiveMinimum: gt }),
    ...(lt === undefined ? {} : { exclusiveMaximum: lt }),
    ...described(options),
  };
}

/** Phone numbers in the format of ITU-T E.164. */
export const E164 = /^\+[1-9]\d{1,14}$/;

/** A phone number in E.164. */
export function phoneNumber() {
  return str({ pattern: E164, description: 'E.164.' });
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Whether a text is a UUID. Ids in paths may be any text, because an unknown id is 404 and not 422. A database
 * query with a text that is not a UUID would fail.
 */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A boolean. */
export function bool(options: { readonly description?: string } = {}) {
  return custom(toBoolean, { type: 'boolean', ...described(options) });
}

/** One of some strings. `as` is the error's type: `enum` (default) or `literal_error`. */
export function oneOf<const T extends string>(
  values: readonly T[],
  options: { readonly as?: 'enum' | 'literal_error'; readonly description?: string } = {},
) {
  const expected = oneOfText(values);
  const known: ReadonlyMap<unknown, T> = new Map(values.map((value) => [value, value]));
  return custom<T>(
    (value) =>
      known.get(value) ??
      new InvalidField(options.as ?? 'enum', `Input should be ${expected}`, { expected }),
    { type: 'string', enum: values, ...described(options) },
  );
}

/** A string, number or boolean without conversion: the values of flat maps. */
export function scalar() {
  return custom<string | number | boolean>(
    (value) => {
      if (typeof value === 'boolean') return value;
      return typeof value === 'number' ? toNumber(value) : readText(value, {});
    },
    { type: ['string', 'number', 'boolean'] },
  );
}

/** An object of any JSON values, at most `maxBytes` long as JSON. */
export function anyDict(options: { readonly maxBytes?: number } = {}) {
  const maxBytes = options.maxBytes ?? 65_536;
  return custom<Record<string, unknown>>(
    (value) => {
      if (!isDict(value))
        return new InvalidField('dict_type', 'Input should be a valid dictionary');
      const text = JSON.stringify(value);
      if (Buffer.byteLength(text) > maxBytes) {
        return InvalidField.ofRule(`the object must not be longer than ${maxBytes} bytes`);
      }
      // JSON.stringify writes lone surrogates and U+0000 as escapes; neither can be stored.
      if (/(?<!\\)(\\\\)*\\u(0000|d[89a-f])/.test(text)) {
        return InvalidField.ofRule('text must not contain U+0000 or lone surrogates');
      }
      return value;
    },
    { type: 'object', additionalProperties: true },
  );
}

function isDict(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A map from strings to `value`. */
export function dict<T extends z.ZodType>(value: T) {
  return z.record(z.string(), value);
}

/** A list with a number of items between `min` and `max`. */
export function list<T extends z.ZodType>(
  item: T,
  bounds: { readonly min?: number; readonly max?: number } = {},
) {
  let schema = z.array(item);
  if (bounds.min !== undefined) schema = schema.min(bounds.min);
  if (bounds.max !== undefined) schema = schema.max(bounds.max);
  return schema;
}

/** An object of known fields. Unknown keys are dropped, or rejected with `extra: 'forbid'`. */
export function model<T extends z.ZodRawShape>(
  shape: T,
  options: { readonly extra?: 'ignore' | 'forbid' } = {},
): z.ZodObject<T> {
  return options.extra === 'forbid'
    ? (z.strictObject(shape) as unknown as z.ZodObject<T>)
    : z.object(shape);
}

type Optional<T extends z.ZodRawShape> = { [K in keyof T]: z.ZodOptional<z.ZodNullable<T[K]>> };
type Nullable<T extends z.ZodRawShape> = { [K in keyof T]: z.ZodNullable<T[K]> };
type Fields = Readonly<Record<string, z.ZodType>>;

/** The fields of a request. Each may be absent or null. `defaults` appear in the OpenAPI document only. */
export function optionalShape<T extends Fields>(shape: T, defaults?: Json): Optional<T>;
export function optionalShape(shape: Fields, defaults: Json = {}): Fields {
  const entries = Object.entries(shape).map(([key, field]) => {
    const optional = field.nullable().optional();
    return [key, key in defaults ? optional.meta({ default: defaults[key] }) : optional];
  });
  return Object.fromEntries(entries);
}

/** The fields of a response. Each is present and may be null. */
export function nullableShape<T extends Fields>(shape: T): Nullable<T>;
export function nullableShape(shape: Fields): Fields {
  const entries = Object.entries(shape).map(([key, field]) => [key, field.nullable()]);
  return Object.fromEntries(entries);
}

function described(options: { readonly description?: string }): Json {
  return options.description === undefined ? {} : { description: options.description };
}
