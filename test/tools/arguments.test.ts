import { describe, expect, it } from 'vitest';
import { ArgumentChecks } from '../../src/tools/argument-checks.js';
import { argumentSchema } from '../../src/tools/tool-schema.js';

describe('the parameters of a tool', () => {
  it.each([
    [{}, { type: 'object', properties: {}, required: [] }],
    [
      { customer_id: 'string', count: 'integer' },
      {
        type: 'object',
        properties: { customer_id: { type: 'string' }, count: { type: 'integer' } },
        required: ['customer_id', 'count'],
      },
    ],
    [
      { day: 'A day of the week', when: { type: 'string', format: 'date' } },
      {
        type: 'object',
        properties: {
          day: { type: 'string', description: 'A day of the week' },
          when: { type: 'string', format: 'date' },
        },
        required: ['day', 'when'],
      },
    ],
    [
      { type: 'string', properties: 'string', required: 'boolean' },
      {
        type: 'object',
        properties: {
          type: { type: 'string' },
          properties: { type: 'string' },
          required: { type: 'boolean' },
        },
        required: ['type', 'properties', 'required'],
      },
    ],
    [
      { type: 'object', properties: { a: { type: 'number' } } },
      { type: 'object', properties: { a: { type: 'number' } } },
    ],
    [
      { properties: { a: { type: 'number' } }, required: ['a'] },
      { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    ],
    [{ type: 'object' }, { type: 'object', properties: {} }],
  ])('may be a schema or shorthand: %j', (given, schema) => {
    expect(argumentSchema(given)).toEqual(schema);
  });
});

describe('arguments', () => {
  const checks = new ArgumentChecks();
  const problem = (parameters: Readonly<Record<string, unknown>>, args: object) =>
    checks.for(argumentSchema(parameters))!(args as Readonly<Record<string, unknown>>);

  it.each([
    [{ id: 'string' }, { id: 'a' }, undefined],
    [{ id: 'string' }, { id: 5 }, 'id must be string'],
    [{ id: 'string' }, {}, "the arguments must have required property 'id'"],
    [
      { type: 'object', properties: { day: { enum: ['Monday', 'Friday'] } } },
      { day: 'Someday' },
      'day must be equal to one of the allowed values (["Monday","Friday"])',
    ],
    [
      { type: 'object', properties: {}, additionalProperties: false },
      { hack: 1 },
      'the arguments must NOT have additional properties (hack)',
    ],
    [{ at: { type: 'string', format: 'date' } }, { at: 'tomorrow' }, 'at must match format "date"'],
    [
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } },
      },
      { pair: ['a', 'b'] },
      'pair.1 must be number',
    ],
    [
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: { id: { type: 'string', minLength: 3 } },
        properties: { a: { $ref: '#/$defs/id' } },
      },
      { a: 'x' },
      'a must NOT have fewer than 3 characters',
    ],
    [
      { type: 'object', properties: { a: { type: 'string', 'x-own': true, format: 'own' } } },
      { a: 'x' },
      undefined,
    ],
  ])('%j of %j: %s', (parameters, args, expected) => {
    expect(problem(parameters, args)).toBe(expected);
  });

  it('are not checked against a schema that is none', () => {
    expect(checks.for(argumentSchema({ a: { type: 'nonsense' } }))).toBeUndefined();
    expect(checks.for(argumentSchema({ a: { $ref: 'https://elsewhere/schema' } }))).toBeUndefined();
    expect(checks.for(argumentSchema({ a: { pattern: '(' } }))).toBeUndefined();
  });

  it('cannot hold the process by a pattern that takes for ever', () => {
    const parameters = { a: { type: 'string', pattern: '^(a+)+$' } };
    expect(problem(parameters, { a: 'aaaa' })).toBeUndefined();
    expect(problem(parameters, { a: `${'a'.repeat(50)}!` })).toMatch(/^a must match pattern/);
  });

  it('are told to have a few problems at most, in few words', () => {
    const names = Array.from({ length: 40 }, (_, i) => `name-${i}-${'x'.repeat(400)}`);
    const parameters = Object.fromEntries(names.map((name) => [name, 'string']));
    expect(problem(parameters, {})!.length).toBeLessThan(1_100);
  });
});
