/** The error of a value, in the words of Pydantic. Its position adds `loc` and `input`. */
export interface FieldError {
  readonly type: string;
  readonly msg: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** The error of a rule with its own message. */
export function ruleError(sentence: string): FieldError {
  return { type: 'value_error', msg: `Value error, ${sentence}`, ctx: { error: {} } };
}

/** An invalid value. A class, so that no client can send an object that looks like it. */
export class InvalidField {
  readonly error: FieldError;

  /** For a rule with its own message. */
  static ofRule(sentence: string): InvalidField {
    const { type, msg, ctx } = ruleError(sentence);
    return new InvalidField(type, msg, ctx);
  }

  constructor(type: string, msg: string, ctx?: FieldError['ctx']) {
    this.error = ctx ? { type, msg, ctx } : { type, msg };
  }
}

const LONE_SURROGATE = /\p{Surrogate}/u;
const INTEGER = /^[+-]?\d+(_\d+)*(\.0*)?$/;
const NUMBER = /^[+-]?(\d+(_\d+)*(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const NOT_FINITE = /^[+-]?(nan|inf(inity)?)$/i;
const TRUE_WORDS = new Set(['1', 'on', 't', 'true', 'y', 'yes']);
const FALSE_WORDS = new Set(['0', 'off', 'f', 'false', 'n', 'no']);
/** Longest string of digits. Source: Python's int/str conversion limit. */
const MAX_DIGITS = 4_300;

/** A string. Numbers are not converted. */
export function toText(value: unknown): string | InvalidField {
  if (typeof value !== 'string') {
    return new InvalidField('string_type', 'Input should be a valid string');
  }
  if (LONE_SURROGATE.test(value)) {
    return new InvalidField(
      'string_unicode',
      'Input should be a valid string, unable to parse raw data as a unicode string',
    );
  }
  return value;
}

/** An integer, from a number without a fraction or from a decimal string. */
export function toInteger(value: unknown): number | InvalidField {
  if (typeof value === 'number') return wholeNumber(value);
  if (typeof value !== 'string') {
    return new InvalidField('int_type', 'Input should be a valid integer');
  }
  const text = value.trim();
  if (text.length > MAX_DIGITS) {
    return new InvalidField(
      'int_parsing_size',
      'Unable to parse input string as an integer, exceeded maximum size',
    );
  }
  if (!INTEGER.test(text)) {
    return new InvalidField(
      'int_parsing',
      'Input should be a valid integer, unable to parse string as an integer',
    );
  }
  return wholeNumber(Number(text.replaceAll('_', '')));
}

function wholeNumber(value: number): number | InvalidField {
  if (!Number.isFinite(value)) return notFinite();
  if (!Number.isInteger(value)) {
    return new InvalidField(
      'int_from_float',
      'Input should be a valid integer, got a number with a fractional part',
    );
  }
  return value;
}

/** A finite number, from a number or a decimal string. */
export function toNumber(value: unknown): number | InvalidField {
  if (typeof value === 'number') return Number.isFinite(value) ? value : notFinite();
  if (typeof value !== 'string') {
    return new InvalidField('float_type', 'Input should be a valid number');
  }
  const text = value.trim();
  if (NOT_FINITE.test(text)) return notFinite();
  if (text.length > MAX_DIGITS || !NUMBER.test(text)) {
    return new InvalidField(
      'float_parsing',
      'Input should be a valid number, unable to parse string as a number',
    );
  }
  const number = Number(text.replaceAll('_', ''));
  return Number.isFinite(number) ? number : notFinite();
}

function notFinite(): InvalidField {
  return new InvalidField('finite_number', 'Input should be a finite number');
}

/** A boolean, from a boolean, 0 or 1, or a word such as `yes`. */
export function toBoolean(value: unknown): boolean | InvalidField {
  if (typeof value === 'boolean') return value;
  if (value === 1) return true;
  if (value === 0) return false;
  if (typeof value === 'string') {
    const word = value.toLowerCase();
    if (TRUE_WORDS.has(word)) return true;
    if (FALSE_WORDS.has(word)) return false;
  }
  const isReadable = typeof value === 'string' || Number.isInteger(value);
  return isReadable
    ? new InvalidField('bool_parsing', 'Input should be a valid boolean, unable to interpret input')
    : new InvalidField('bool_type', 'Input should be a valid boolean');
}

/** Returns `'a', 'b' or 'c'`. */
export function oneOfText(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.at(-1) ?? '';
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} or ${last}`;
}

/** Returns `1 character` or `5 characters`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Length in code points, as the contract counts characters. */
export function codePoints(text: string): number {
  let length = text.length;
  for (let i = 0; i + 1 < text.length; i++) {
    const isPair = (text.charCodeAt(i) & 0xfc00) === 0xd800;
    if (isPair && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      length--;
      i++;
    }
  }
  return length;
}
