import type { JsonSchema } from './json-schema.js';

const UUID = '019c4b1e-7a10-7c3e-9d2f-1f4f6a2b8c01';
const MOMENT = '2026-02-10T12:00:00.000Z';

/** Examples by the names of text fields. Other examples follow from format, bounds and type. */
const TEXTS: Readonly<Record<string, string>> = {
  agent_id: UUID,
  agent_name: 'Front desk',
  api_key: 'vk_…',
  area_code: '415',
  call_id: UUID,
  content: 'The pool opens at six in the morning.',
  country_code: 'US',
  description: 'Answers questions about our opening hours.',
  dictionary_id: UUID,
  error: 'What went wrong, in a sentence',
  greeting: 'City pool, hello! How can I help you?',
  ipa: 'ˈpɑːɹleɪ',
  keys: '42#',
  language: 'en',
  message: 'Done',
  name: 'Front desk',
  phone_number: '+14155550100',
  prompt: 'The pool opens at six in the morning.\n\nA swim costs four euros.',
  replacement: 'par lay',
  target_phone_number: '+14155550100',
  text: 'Good morning! Your code is [SPELL:BX42].',
  timezone: 'Europe/Berlin',
  word: 'Parley',
};

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': MOMENT,
  date: MOMENT.slice(0, 10),
  uri: 'https://voice.example.com/',
  uuid: UUID,
};

const UNIX_SECONDS = 1_770_724_800;
/** Deepest nesting of an example. It ends schemas that refer to themselves. */
const MAX_DEPTH = 12;

/** Creates values that match schemas, so that every body in the OpenAPI document has an example. */
export class ExampleMaker {
  readonly #components: Readonly<Record<string, JsonSchema>>;

  /** @param components - the OpenAPI document's named schemas, to which references point */
  constructor(components: Readonly<Record<string, JsonSchema>>) {
    this.#components = components;
  }

  /** @param name - of the field or parameter that the value is for */
  make(schema: JsonSchema, name = '', depth = 0): unknown {
    const resolved = this.#resolve(schema);
    if (depth > MAX_DEPTH) return null;
    if (Array.isArray(resolved.examples)) return resolved.examples[0];
    if (Array.isArray(resolved.enum)) return resolved.default ?? resolved.enum[0];
    const options = (resolved.anyOf ?? resolved.oneOf) as JsonSchema[] | undefined;
    if (options) return this.make(options.find((one) => one.type !== 'null') ?? {}, name, depth);
    switch ([resolved.type].flat().find((type) => type !== 'null')) {
      case 'object':
        return this.#object(resolved, depth);
      case 'array':
        return [this.make((resolved.items ?? {}) as JsonSchema, name, depth + 1)];
      case 'string':
        return this.#text(resolved, name);
      case 'integer':
        return name.endsWith('_unix') ? UNIX_SECONDS : number(resolved);
      case 'number':
        return number(resolved);
      case 'boolean':
        return resolved.default ?? true;
      default:
        return {};
    }
  }

  #resolve(schema: JsonSchema): JsonSchema {
    if (typeof schema.$ref !== 'string') return schema;
    return this.#resolve(this.#components[schema.$ref.split('/').at(-1)!] ?? {});
  }

  /** Required fields, and fields with a default other than null. */
  #object({ properties = {}, required = [] }: JsonSchema, depth: number): JsonSchema {
    const shown = Object.entries(properties as Record<string, JsonSchema>).filter(
      ([name, schema]) => (required as string[]).includes(name) || schema.default != null,
    );
    return Object.fromEntries(
      shown.map(([name, schema]) => [name, this.#field(schema, name, depth)]),
    );
  }

  #field(schema: JsonSchema, name: string, depth: number): unknown {
    const { default: byDefault } = schema;
    return byDefault == null || byDefault === '' ? this.make(schema, name, depth + 1) : byDefault;
  }

  #text({ format, pattern, default: byDefault }: JsonSchema, name: string): unknown {
    const sample = TEXTS[name] ?? FORMATS[String(format)];
    if (sample !== undefined) return sample;
    if (typeof byDefault === 'string' && byDefault !== '') return byDefault;
    return pattern === undefined ? (name || 'text').replaceAll('_', ' ') : '+14155550100';
  }
}

function number({ default: byDefault, minimum, maximum }: JsonSchema): unknown {
  return byDefault ?? Math.min(Math.max(1, Number(minimum ?? 1)), Number(maximum ?? 1));
}
