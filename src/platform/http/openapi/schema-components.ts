import type { z } from 'zod';
import { type JsonSchema, jsonSchemaOf } from './json-schema.js';

const PREFIX = '#/components/schemas/';

/**
 * The document's named schemas. A schema with an `id` in its meta stands here once and is referred
 * to; where what is taken differs from what is answered, the second form is called `…Output`.
 */
export class SchemaComponents {
  readonly all: Record<string, JsonSchema>;

  constructor(given: Readonly<Record<string, JsonSchema>>) {
    this.all = { ...given };
  }

  /** The schema's JSON form; what it names is added to the components. */
  of(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const { $defs, ...json } = jsonSchemaOf(schema, io);
    const defs = Object.entries(($defs ?? {}) as Record<string, JsonSchema>);
    const names = new Map(defs.map(([name, def]) => [name, this.#nameOf(name, def, io)]));
    for (const [name, def] of defs) this.all[names.get(name)!] = rewritten(def, names);
    return rewritten(json, names);
  }

  #nameOf(name: string, json: JsonSchema, io: 'input' | 'output'): string {
    const known = this.all[name];
    if (known === undefined || io === 'input') return name;
    const isSame = shape(known) === shape(json);
    return isSame ? name : `${name}Output`;
  }
}

/** Compares by what is required, which is all that differs between the two forms. */
function shape(json: JsonSchema): string {
  return JSON.stringify([json.required, Object.keys(json.properties ?? {})]);
}

function rewritten(json: JsonSchema, names: ReadonlyMap<string, string>): JsonSchema {
  return JSON.parse(JSON.stringify(json), (key, value: unknown) => {
    if (key !== '$ref' || typeof value !== 'string') return value;
    const name = value.replace('#/$defs/', '');
    return PREFIX + (names.get(name) ?? name);
  });
}
