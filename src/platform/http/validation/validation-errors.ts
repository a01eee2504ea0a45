import type { z } from 'zod';
import { type FieldError, oneOfText, ruleError } from './coerce.js';
import type { ValidationError } from './invalid-input.js';

type Place = ValidationError['loc'][number];
type Issue = z.core.$ZodIssue;

/** The errors of one part of a request (`body`, `query`, `path`), in the form of Pydantic v2. */
export function validationErrorsOf(
  part: string,
  raw: unknown,
  issues: readonly Issue[],
): ValidationError[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map((key): Place => (typeof key === 'symbol' ? String(key) : key));
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        type: 'extra_forbidden',
        loc: [part, ...path, key],
        msg: 'Extra inputs are not permitted',
        input: at(raw, [...path, key]),
      }));
    }
    return [placed(part, raw, path, fieldErrorOf(issue, at(raw, path)))];
  });
}

function placed(
  part: string,
  raw: unknown,
  path: readonly Place[],
  error: FieldError,
): ValidationError {
  const isMissing = error.type === 'missing';
  // The input of a missing field is the object without it in a body, and null in a query or path.
  const input = isMissing ? (part === 'body' ? at(raw, path.slice(0, -1)) : null) : at(raw, path);
  return {
    type: error.type,
    loc: [part, ...path],
    msg: error.msg,
    input: input ?? null,
    ...(error.ctx ? { ctx: error.ctx } : {}),
  };
}

function at(value: unknown, path: readonly Place[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<Place, unknown>)[key];
  }
  return found;
}

const MISSING: FieldError = { type: 'missing', msg: 'Field required' };

/** The error of a value of another type, by zod's name of the expected type. */
const WRONG_TYPE: Readonly<Record<string, FieldError>> = {
  string: { type: 'string_type', msg: 'Input should be a valid string' },
  number: { type: 'float_type', msg: 'Input should be a valid number' },
  int: { type: 'int_type', msg: 'Input should be a valid integer' },
  boolean: { type: 'bool_type', msg: 'Input should be a valid boolean' },
  array: { type: 'list_type', msg: 'Input should be a valid list' },
  record: { type: 'dict_type', msg: 'Input should be a valid dictionary' },
  object: {
    type: 'model_attributes_type',
    msg: 'Input should be a valid dictionary or object to extract fields from',
  },
};

function fieldErrorOf(issue: Issue, input: unknown): FieldError {
  switch (issue.code) {
    case 'custom':
      return isFieldError(issue.params) ? issue.params : ruleError(issue.message);
    case 'invalid_type':
      if (input === undefined) return MISSING;
      return WRONG_TYPE[issue.expected] ?? ruleError(issue.message);
    case 'too_small':
      return issue.origin === 'array'
        ? lengthError('too_short', 'least', Number(issue.minimum), input)
        : ruleError(issue.message);
    case 'too_big':
      return issue.origin === 'array'
        ? lengthError('too_long', 'most', Number(issue.maximum), input)
        : ruleError(issue.message);
    case 'invalid_value': {
      const expected = oneOfText(issue.values.map(String));
      return { type: 'literal_error', msg: `Input should be ${expected}`, ctx: { expected } };
    }
    default:
      return ruleError(issue.message);
  }
}

function lengthError(type: string, side: string, bound: number, input: unknown): FieldError {
  const actual = Array.isArray(input) ? input.length : 0;
  const items = `${bound} item${bound === 1 ? '' : 's'}`;
  return {
    type,
    msg: `List should have at ${side} ${items} after validation, not ${actual}`,
    ctx: {
      field_type: 'List',
      [type === 'too_short' ? 'min_length' : 'max_length']: bound,
      actual_length: actual,
    },
  };
}

function isFieldError(params: unknown): params is FieldError {
  return typeof params === 'object' && params !== null && 'type' in params && 'msg' in params;
}
