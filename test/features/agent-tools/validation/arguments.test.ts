import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pino } from 'pino';
import { afterAll, describe, expect, it } from 'vitest';
import { argumentSchema } from '../../../../src/features/agent-tools/tool-schema.js';
import { ArgumentValidator } from '../../../../src/features/agent-tools/validation/argument-validator.js';
import {
  schemaLimitProblem,
  toolLimitProblems,
} from '../../../../src/features/agents/config/tool-limits.js';

describe('parameters of a tool', () => {
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
  const log = pino({ level: 'silent' });
  /** For tests that do not depend on the deadline. */
  const slowValidator = new ArgumentValidator(log, 10_000);
  afterAll(() => slowValidator.close());
  const problem = (
    parameters: Readonly<Record<string, unknown>>,
    args: object,
    { validator = slowValidator, accountId = 'a' } = {},
  ) =>
    validator.validate(
      { accountId, agentId: 'agent', name: 'look_up' },
      {
        schema: JSON.stringify(argumentSchema(parameters)),
        args: args as Readonly<Record<string, unknown>>,
      },
    );

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
  ])('%j of %j: %s', async (parameters, args, expected) => {
    expect(await problem(parameters, args)).toBe(expected);
  });

  it.each([
    { a: { type: 'nonsense' } },
    { a: { $ref: 'https://elsewhere/schema' } },
    { a: { pattern: '(' } },
  ])('are not validated by an unusable schema: %j', async (parameters) => {
    expect(await problem(parameters, { a: 5 })).toBeUndefined();
  });

  it('are rejected after one deadline for all patterns, without blocking this thread', async () => {
    const parameters = { a: { type: 'array', items: { type: 'string', pattern: '^(a+)+$' } } };
    const texts = Array.from({ length: 20 }, () => `${'a'.repeat(50)}!`);
    const validator = new ArgumentValidator(log, 200);
    const loop = monitorEventLoopDelay({ resolution: 1 });
    loop.enable();
    const outcome = await problem(parameters, { a: texts }, { validator });
    loop.disable();
    expect(outcome).toMatch(/could not be checked by the tool's schema in time/);
    expect(loop.percentile(99) / 1e6).toBeLessThan(100);
    // On another thread.
    expect(await problem(parameters, { a: ['aaaa'] }, { validator })).toBeUndefined();
    await validator.close();
  });

  it('are not validated by a schema that takes too long to compile', async () => {
    const validator = new ArgumentValidator(log, 1);
    const names = Array.from({ length: 200 }, (_, i) => `name-${i}`);
    const parameters = Object.fromEntries(names.map((name) => [name, 'string']));
    expect(await problem(parameters, {}, { validator })).toBeUndefined();
    expect(await problem(parameters, {})).toMatch(/must have required property/);
    await validator.close();
  });

  it('of one account are validated while another account blocks a thread', async () => {
    const validator = new ArgumentValidator(log, 2_000);
    const slow = { a: { type: 'string', pattern: '^(a+)+$' } };
    const args = { a: `${'a'.repeat(50)}!` };
    let hostile = 0;
    const checks = Array.from({ length: 3 }, async () => {
      await problem(slow, args, { validator, accountId: 'hostile' });
      hostile++;
    });
    const otherProblem = await problem(
      { id: 'string' },
      { id: 5 },
      { validator, accountId: 'honest' },
    );
    expect(otherProblem).toBe('id must be string');
    expect(hostile).toBe(0);
    await validator.close();
    await Promise.all(checks);
  });

  it('that wait when the gateway closes are rejected', async () => {
    const closing = new ArgumentValidator(log);
    const tool = { accountId: 'a', agentId: 'agent', name: 'look_up' };
    const input = { schema: JSON.stringify(argumentSchema({ id: 'string' })), args: { id: 'x' } };
    const waiting = [closing.validate(tool, input), closing.validate(tool, input)];
    await closing.close();
    for (const outcome of [...waiting, closing.validate(tool, input)]) {
      expect(await outcome).toMatch(/could not be checked/);
    }
  });

  it('have a limited number of short error messages', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `name-${i}-${'x'.repeat(400)}`);
    const parameters = Object.fromEntries(names.map((name) => [name, 'string']));
    expect((await problem(parameters, {}))!.length).toBeLessThan(1_100);
  });
});

describe('limits of a schema', () => {
  const many = (count: number, schema: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, schema]));
  const string = { type: 'string' };
  const pattern = { type: 'string', pattern: '^a' };
  const nested = (properties: object) => ({
    type: 'object',
    properties: { list: { type: 'array', items: { anyOf: [{ type: 'object', properties }] } } },
  });

  it.each([
    ['shorthand', many(200, 'string'), undefined],
    ['shorthand', many(201, 'string'), /more than 200 properties; it has 201/],
    ['nested properties', nested(many(199, string)), undefined],
    ['nested properties', nested(many(200, string)), /more than 200 properties; it has 201/],
    ['patterns', { type: 'object', properties: many(20, pattern) }, undefined],
    [
      'patterns',
      { type: 'object', properties: many(21, pattern) },
      /more than 20 patterns; it has/,
    ],
    ['patterns of names', { type: 'object', patternProperties: many(21, {}) }, /20 patterns/],
    ['a property named pattern', { pattern: 'string', properties: 'string' }, undefined],
    ['bytes', { a: 'é'.repeat(16_379) }, undefined],
    ['bytes', { a: 'é'.repeat(16_381) }, /longer than 32768 bytes/],
  ])('%s', (_, parameters, expected) => {
    const found = schemaLimitProblem(parameters);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(expected);
  });

  it('apply to a schema that is nested too deeply to be serialised', () => {
    let schema: object = {};
    for (let i = 0; i < 100_000; i++) schema = { a: schema };
    expect(schemaLimitProblem(schema)).toMatch(/longer than 32768 bytes/);
  });

  it('apply to all tools together and to response schemas', () => {
    const parameters = { a: 'x'.repeat(30_000) };
    const tools = Array.from({ length: 10 }, () => ({ parameters, response: null }));
    const large = { parameters: {}, response: { a: 'x'.repeat(32_768) } };
    expect(toolLimitProblems([large, ...tools])).toEqual([
      { index: 0, field: 'response', problem: expect.stringMatching(/the response.*32768 bytes/) },
      ...[9, 10].map((index) => ({
        index,
        field: 'parameters',
        problem: expect.stringMatching(/all tools together.*262144 bytes/),
      })),
    ]);
  });
});
