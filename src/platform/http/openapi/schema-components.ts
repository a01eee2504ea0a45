import type { z } from 'zod';
import { type JsonSchema, jsonSchemaOf } from './json-schema.js';

const PREFIX = '#/components/schemas/';

/**
 * The named schemas of the OpenAPI document. A schema with an `id` in its meta appears once and is referenced.
 * If its forms in requests and responses differ, the latter is named `…Output`.
 */
export class SchemaComponents {
  readonly all: Record<string, JsonSchema>;

  constructor(given: Readonly<Record<string, JsonSchema>>) {
    this.all = { ...given };
  }

  /** The JSON form of a schema. Named schemas in it become components. */
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

/** The parts in which the two forms of a schema can differ. */
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
