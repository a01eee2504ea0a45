import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import type { ArgumentSchema } from '../tool-schema.js';

const MAX_COMPILED = 200;
const MAX_PROBLEMS = 5;
const MAX_PROBLEM_LENGTH = 200;

const OPTIONS: Options = {
  // Unknown keywords and formats of a user's schema are ignored.
  strict: false,
  logger: false,
  addUsedSchema: false,
  validateSchema: false,
  allErrors: true,
};

/** The problem with arguments, in words for the model; undefined if they are valid. */
export type ArgumentCheck = (args: Readonly<Record<string, unknown>>) => string | undefined;

/**
 * Compiles schemas, each once, and checks arguments by them. Both can take unlimited time, as users
 * write the schemas and their patterns: for worker threads that are terminated at a deadline.
 */
export class ArgumentChecks {
  readonly #compiled = new LRUCache<string, { readonly check: ArgumentCheck | undefined }>({
    max: MAX_COMPILED,
  });

  /** The check for a schema; undefined for an unusable one. @param schema JSON text */
  for(schema: string): ArgumentCheck | undefined {
    const known = this.#compiled.get(schema);
    if (known) return known.check;
    const check = compile(JSON.parse(schema) as ArgumentSchema);
    this.#compiled.set(schema, { check });
    return check;
  }
}

function compile({ $schema, ...schema }: ArgumentSchema): ArgumentCheck | undefined {
  const isOlder = typeof $schema === 'string' && /draft-0[4-7]/.test($schema);
  const ajv = isOlder ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
  formats.default(ajv, { mode: 'fast' });
  let validate: ValidateFunction;
  try {
    validate = ajv.compile(schema);
  } catch {
    return undefined;
  }
  return (args) => {
    if (validate(args)) return undefined;
    const problems = (validate.errors ?? []).map(sentenceOf);
    return [...new Set(problems)].slice(0, MAX_PROBLEMS).join('; ');
  };
}

function sentenceOf({ instancePath, message, params }: ErrorObject): string {
  const place = instancePath === '' ? 'the arguments' : instancePath.slice(1).replaceAll('/', '.');
  const { additionalProperty, allowedValues } = params as Readonly<Record<string, unknown>>;
  const more = additionalProperty ?? (allowedValues && JSON.stringify(allowedValues));
  return `${place} ${message ?? 'are wrong'}${more ? ` (${more})` : ''}`.slice(
    0,
    MAX_PROBLEM_LENGTH,
  );
}
