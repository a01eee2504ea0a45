import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { putNewest } from '../../media/put-newest.js';
import { timedPattern } from './timed-pattern.js';
import type { ArgumentSchema } from './tool-schema.js';

/** Compiled schemas that are kept. */
const KEPT = 500;
const MOST_PROBLEMS = 5;
const MAX_PROBLEM = 200;

const OPTIONS: Options = {
  // Schemas are other people's: unknown words and formats in them are no fault.
  strict: false,
  logger: false,
  addUsedSchema: false,
  validateSchema: false,
  allErrors: true,
  code: { regExp: timedPattern },
};

/** What is wrong with arguments, in words for the model; undefined when nothing is. */
export type ArgumentCheck = (args: Readonly<Record<string, unknown>>) => string | undefined;

/** Checks arguments of tools against their schemas, which are compiled once. */
export class ArgumentChecks {
  readonly #compiled = new Map<string, ArgumentCheck | undefined>();

  /** The check of a schema; undefined for one that cannot be used. */
  for(schema: ArgumentSchema): ArgumentCheck | undefined {
    const key = JSON.stringify(schema);
    if (this.#compiled.has(key)) return this.#compiled.get(key);
    const check = compile(schema);
    putNewest(this.#compiled, key, check, KEPT);
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
    return [...new Set(problems)].slice(0, MOST_PROBLEMS).join('; ');
  };
}

function sentenceOf({ instancePath, message, params }: ErrorObject): string {
  const place = instancePath === '' ? 'the arguments' : instancePath.slice(1).replaceAll('/', '.');
  const { additionalProperty, allowedValues } = params as Readonly<Record<string, unknown>>;
  const more = additionalProperty ?? (allowedValues && JSON.stringify(allowedValues));
  return `${place} ${message ?? 'are wrong'}${more ? ` (${more})` : ''}`.slice(0, MAX_PROBLEM);
}
