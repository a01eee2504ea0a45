import { ruleError } from './coerce.js';

/** One error of a request, in the form of Pydantic v2. */
export interface ValidationError {
  readonly type: string;
  /** Starts with body, query, path or header; then names, and indexes as integers. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** A request that does not match its schema. The response is 422 and lists all errors. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  readonly errors: readonly ValidationError[];

  constructor(errors: readonly ValidationError[]) {
    super(errors[0]?.msg ?? 'The request is not valid');
    this.errors = errors;
  }
}

/** A `value_error` of one field, for a rule that only a handler can check, such as a lookup. */
export function valueError(
  loc: ValidationError['loc'],
  sentence: string,
  input: unknown,
): InvalidInput {
  const { type, msg, ctx } = ruleError(sentence);
  return new InvalidInput([{ type, loc, msg, input, ctx }]);
}
