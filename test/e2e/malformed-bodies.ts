import { ExampleMaker } from '../../src/platform/http/openapi/openapi-examples.js';

// biome-ignore lint/suspicious/noExplicitAny: a JSON schema is read property by property
type Schema = any;
type Place = readonly (string | number)[];

/** One place in a body, with its schema. */
export interface Field {
  readonly place: Place;
  readonly schema: Schema;
  readonly isRequired: boolean;
  /** Whether it contains other fields. */
  readonly hasFields: boolean;
}

/** An invalid or extreme value that a client may send in any place. */
export interface InvalidValue {
  readonly name: string;
  readonly make: (schema: Schema) => unknown;
}

const always = (name: string, value: unknown): InvalidValue => ({ name, make: () => value });

/** JSON cannot represent infinity except as `1e999`: see `toJson`. */
const INFINITE = Number.POSITIVE_INFINITY;

export const INVALID_VALUES: readonly InvalidValue[] = [
  always('null', null),
  always('true', true),
  always('an integer', 7),
  always('a fraction', -1.5),
  always('a word', 'none of them'),
  always('nothing', ''),
  always('a list', []),
  always('lists in a list', [[[]]]),
  always('an object', {}),
  always('an object of objects', { a: { b: { c: null } } }),
  always('U+0000', 'a\u0000b'),
  always('a lone surrogate', '\ud800'),
  always('members with U+0000 and a lone surrogate', { 'a\u0000': '\u0000', '\ud800': 1 }),
  always('a huge number', Number.MAX_VALUE),
  always('a huge negative number', -Number.MAX_VALUE),
  always('infinity', INFINITE),
  always('a tiny number', Number.MIN_VALUE),
  always('an integer that no double holds', 2 ** 63),
  always('more than 32 bits', 2 ** 31),
  { name: 'one too many', make: tooLong },
];

/** A value that exceeds the maximum length by one; undefined without a maximum. */
function tooLong(schema: Schema): unknown {
  const { type, maxLength, maxItems, items } = plain(schema);
  if (type === 'string') return maxLength === undefined ? undefined : 'x'.repeat(maxLength + 1);
  if (type !== 'array' || maxItems === undefined) return undefined;
  return Array.from({ length: maxItems + 1 }, () => new ExampleMaker({}).make(items));
}

/** The alternative that is not null. */
function plain(schema: Schema): Schema {
  return schema.anyOf?.find((one: Schema) => one.type !== 'null') ?? schema;
}

/** Generates the bodies of one operation from its schema. */
export class BodySchema {
  readonly #schemas: Schema;
  readonly #maker: ExampleMaker;
  readonly #example: Schema;
  readonly fields: readonly Field[];

  /** @param schemas the document's named schemas @param example a valid body */
  constructor(schema: Schema, schemas: Schema, example: unknown) {
    this.#schemas = schemas;
    this.#maker = new ExampleMaker(schemas);
    this.#example = example;
    this.fields = [...this.#fieldsOf(schema, [])];
  }

  /** The valid body with these values in these places; undefined removes a place. */
  withValues(values: readonly (readonly [Field, unknown])[]): unknown {
    const body = structuredClone(this.#example);
    for (const [{ place }, value] of values) {
      let at = body;
      place.slice(0, -1).forEach((key, depth) => {
        at[key] ??= structuredClone(this.#goodAt(place.slice(0, depth + 1)));
        at = at[key];
      });
      const last = place.at(-1)!;
      if (value === undefined) delete at[last];
      else at[last] = value;
    }
    return body;
  }

  #goodAt(place: Place): unknown {
    const field = this.fields.find((one) => String(one.place) === String(place))!;
    return this.#maker.make(field.schema, String(place.at(-1)));
  }

  *#fieldsOf(schema: Schema, place: Place): Generator<Field> {
    const resolved = this.#resolved(schema);
    const { properties, required = [], items } = this.#resolved(plain(resolved));
    for (const [name, member] of Object.entries<Schema>(properties ?? {})) {
      yield* this.#withInner(this.#resolved(member), [...place, name], required.includes(name));
    }
    if (items) yield* this.#withInner(this.#resolved(items), [...place, 0], false);
  }

  *#withInner(schema: Schema, place: Place, isRequired: boolean): Generator<Field> {
    const inner = [...this.#fieldsOf(schema, place)];
    yield { place, schema, isRequired, hasFields: inner.length > 0 };
    yield* inner;
  }

  #resolved(schema: Schema): Schema {
    if (typeof schema.$ref !== 'string') return schema;
    return this.#resolved(this.#schemas[schema.$ref.split('/').at(-1)!]);
  }
}

/** Serialises a body to JSON, with infinity as a number that is too large. */
export function toJson(body: unknown): string {
  const mark = '\u0001infinite';
  const text = JSON.stringify(body, (_, value) => (value === INFINITE ? mark : value));
  return text.replaceAll(JSON.stringify(mark), '1e999');
}
