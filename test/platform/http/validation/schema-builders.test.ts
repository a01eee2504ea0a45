import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { jsonSchemaOf } from '../../../../src/platform/http/openapi/json-schema.js';
import {
  anyDict,
  bool,
  dict,
  float,
  int,
  list,
  model,
  oneOf,
  scalar,
  str,
} from '../../../../src/platform/http/validation/schema-builders.js';
import { validationErrorsOf } from '../../../../src/platform/http/validation/validation-errors.js';

/** The parsed value of a field, or its errors. */
function read(schema: z.ZodType, raw: unknown): unknown {
  const result = schema.safeParse(raw);
  return result.success ? result.data : validationErrorsOf('body', raw, result.error.issues);
}

/** Type, message and context of the only error of a field. */
function faultOf(schema: z.ZodType, raw: unknown): unknown {
  const outcome = read(model({ x: schema }), { x: raw });
  return Array.isArray(outcome) && outcome.length === 1 ? outcome[0] : outcome;
}

function fault(type: string, msg: string, input: unknown, ctx?: object): unknown {
  return { type, loc: ['body', 'x'], msg, input, ...(ctx ? { ctx } : {}) };
}

describe('coercions', () => {
  it.each([
    ['5', 5],
    [' +5 ', 5],
    ['-1_000', -1000],
    ['5.0', 5],
    [5.0, 5],
    [-0, -0],
  ])('convert %j to an integer', (raw, value) => {
    expect(read(int(), raw)).toBe(value);
  });

  it.each([
    ['1.5', 1.5],
    ['1e3', 1000],
    ['.5', 0.5],
    [2, 2],
  ])('convert %j to a number', (raw, value) => {
    expect(read(float(), raw)).toBe(value);
  });

  it('convert common notations of yes and no to booleans', () => {
    for (const raw of [true, 1, '1', 'on', 'T', 'true', 'Y', 'YES']) {
      expect(read(bool(), raw)).toBe(true);
    }
    for (const raw of [false, 0, '0', 'off', 'f', 'False', 'n', 'no']) {
      expect(read(bool(), raw)).toBe(false);
    }
  });
});

describe('validation errors', () => {
  it.each([
    ['int_type', int(), null, 'Input should be a valid integer'],
    ['int_type', int(), [], 'Input should be a valid integer'],
    ['int_type', int(), true, 'Input should be a valid integer'],
    ['float_type', float(), false, 'Input should be a valid number'],
    [
      'int_parsing',
      int(),
      '5.5',
      'Input should be a valid integer, unable to parse string as an integer',
    ],
    [
      'int_parsing',
      int(),
      '',
      'Input should be a valid integer, unable to parse string as an integer',
    ],
    [
      'int_from_float',
      int(),
      5.5,
      'Input should be a valid integer, got a number with a fractional part',
    ],
    ['finite_number', int(), Number.POSITIVE_INFINITY, 'Input should be a finite number'],
    ['float_type', float(), {}, 'Input should be a valid number'],
    [
      'float_parsing',
      float(),
      'x',
      'Input should be a valid number, unable to parse string as a number',
    ],
    ['finite_number', float(), 'NaN', 'Input should be a finite number'],
    ['finite_number', float(), '1e999', 'Input should be a finite number'],
    ['finite_number', scalar(), Number.POSITIVE_INFINITY, 'Input should be a finite number'],
    ['bool_type', bool(), null, 'Input should be a valid boolean'],
    ['bool_parsing', bool(), 'maybe', 'Input should be a valid boolean, unable to interpret input'],
    ['bool_parsing', bool(), 2, 'Input should be a valid boolean, unable to interpret input'],
    ['string_type', str(), 5, 'Input should be a valid string'],
    ['string_type', str(), null, 'Input should be a valid string'],
    [
      'string_unicode',
      str(),
      'a\ud800',
      'Input should be a valid string, unable to parse raw data as a unicode string',
    ],
    ['list_type', list(int()), 'abc', 'Input should be a valid list'],
    ['dict_type', dict(int()), [], 'Input should be a valid dictionary'],
    ['dict_type', anyDict(), 'x', 'Input should be a valid dictionary'],
    [
      'model_attributes_type',
      model({}),
      'x',
      'Input should be a valid dictionary or object to extract fields from',
    ],
  ])('have the type %s', (type, schema, raw, msg) => {
    expect(faultOf(schema, raw)).toEqual(fault(type, msg, raw));
  });

  it.each([
    [
      'greater_than_equal',
      int({ ge: 1 }),
      0,
      'Input should be greater than or equal to 1',
      { ge: 1 },
    ],
    [
      'less_than_equal',
      float({ le: 2.0 }),
      2.5,
      'Input should be less than or equal to 2',
      { le: 2 },
    ],
    ['greater_than', float({ gt: 0.5 }), 0.5, 'Input should be greater than 0.5', { gt: 0.5 }],
    ['less_than', int({ lt: 3 }), 3, 'Input should be less than 3', { lt: 3 }],
    [
      'string_too_short',
      str({ min: 1 }),
      '',
      'String should have at least 1 character',
      { min_length: 1 },
    ],
    [
      'string_too_long',
      str({ max: 2 }),
      'abc',
      'String should have at most 2 characters',
      { max_length: 2 },
    ],
    [
      'string_pattern_mismatch',
      str({ pattern: /^a+$/ }),
      'b',
      "String should match pattern '^a+$'",
      { pattern: '^a+$' },
    ],
    [
      'enum',
      oneOf(['a', 'b', 'c']),
      'd',
      "Input should be 'a', 'b' or 'c'",
      { expected: "'a', 'b' or 'c'" },
    ],
    [
      'literal_error',
      oneOf(['a', 'b'], { as: 'literal_error' }),
      7,
      "Input should be 'a' or 'b'",
      { expected: "'a' or 'b'" },
    ],
    [
      'too_short',
      list(int(), { min: 1 }),
      [],
      'List should have at least 1 item after validation, not 0',
      { field_type: 'List', min_length: 1, actual_length: 0 },
    ],
    [
      'too_long',
      list(int(), { max: 1 }),
      [1, 2],
      'List should have at most 1 item after validation, not 2',
      { field_type: 'List', max_length: 1, actual_length: 2 },
    ],
    [
      'value_error',
      str().refine((text) => text !== 'b', 'must not be b'),
      'b',
      'Value error, must not be b',
      { error: {} },
    ],
    ['value_error', str(), 'a\0', 'Value error, text must not contain U+0000', { error: {} }],
  ])('have the type %s with a context', (type, schema, raw, msg, ctx) => {
    expect(faultOf(schema, raw)).toEqual(fault(type, msg, raw, ctx));
  });

  it('are all reported at once, each with its path and input', () => {
    const schema = model({
      name: str(),
      age: int({ ge: 0 }),
      tags: list(model({ id: int() }, { extra: 'forbid' })),
      note: str().nullable().optional(),
    });
    const raw = { age: -1, tags: [{ id: 1 }, { id: 'x', more: true }, {}], note: null, other: 1 };
    expect(read(schema, raw)).toEqual([
      { type: 'missing', loc: ['body', 'name'], msg: 'Field required', input: raw },
      {
        type: 'greater_than_equal',
        loc: ['body', 'age'],
        msg: 'Input should be greater than or equal to 0',
        input: -1,
        ctx: { ge: 0 },
      },
      {
        type: 'int_parsing',
        loc: ['body', 'tags', 1, 'id'],
        msg: 'Input should be a valid integer, unable to parse string as an integer',
        input: 'x',
      },
      {
        type: 'extra_forbidden',
        loc: ['body', 'tags', 1, 'more'],
        msg: 'Extra inputs are not permitted',
        input: true,
      },
      { type: 'missing', loc: ['body', 'tags', 2, 'id'], msg: 'Field required', input: {} },
    ]);
  });

  it('report an absent body as missing', () => {
    expect(read(model({ x: int() }), undefined)).toEqual([
      { type: 'missing', loc: ['body'], msg: 'Field required', input: null },
    ]);
  });

  it('name the invalid members of a map', () => {
    expect(faultOf(dict(scalar()), { a: 1, b: [] })).toEqual({
      type: 'string_type',
      loc: ['body', 'x', 'b'],
      msg: 'Input should be a valid string',
      input: [],
    });
  });

  it('include text in a free object that the database cannot store', () => {
    expect(faultOf(anyDict(), { a: '\ud800' })).toMatchObject({ type: 'value_error' });
    expect(faultOf(anyDict(), { a: ['\0'] })).toMatchObject({ type: 'value_error' });
    expect(read(anyDict(), { a: '\\u0000 \u{1f600}' })).toEqual({ a: '\\u0000 \u{1f600}' });
  });
});

describe('absent values', () => {
  const schema = model({
    a: int().default(3),
    b: str().optional(),
    c: str().nullable().default(null),
    d: str().nullish(),
  });

  it('are replaced by defaults, and optional fields are omitted', () => {
    expect(read(schema, {})).toEqual({ a: 3, c: null });
  });

  it('do not include null unless it is declared', () => {
    expect(read(schema, { a: null, c: null, d: null })).toMatchObject([{ type: 'int_type' }]);
    expect(read(schema, { b: null })).toMatchObject([{ type: 'string_type' }]);
  });

  it('of strings are measured in code points', () => {
    expect(read(str({ max: 2 }), '\u{1f600}\u{1f600}')).toBe('\u{1f600}\u{1f600}');
  });
});

it('the JSON schema is derived from the same objects', () => {
  const schema = model({
    name: str({ min: 1, max: 9 }),
    level: float({ ge: 0, le: 2 }).default(1),
    kind: oneOf(['a', 'b']).nullable().optional(),
    tags: list(int(), { max: 3 }),
  });
  expect(jsonSchemaOf(schema, 'input')).toMatchObject({
    type: 'object',
    required: ['name', 'tags'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 9 },
      level: { type: 'number', minimum: 0, maximum: 2, default: 1 },
      kind: { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] },
      tags: { type: 'array', items: { type: 'integer' }, maxItems: 3 },
    },
  });
});
