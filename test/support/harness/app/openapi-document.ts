/** A JSON schema or another part of an OpenAPI document. */
// biome-ignore lint/suspicious/noExplicitAny: documents are read property by property
type Part = any;

export interface Operation {
  readonly method: string;
  /** Path template with parameters in braces. */
  readonly path: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Part;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Part>> };
  readonly responses: Readonly<Record<string, Part>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

/** Reads operations and schema fields of an OpenAPI document. */
export class ApiDocument {
  readonly #document: Part;

  constructor(document: unknown) {
    this.#document = document;
  }

  /** The named schemas. */
  get schemas(): Readonly<Record<string, Part>> {
    return this.#document.components.schemas;
  }

  get operations(): readonly Operation[] {
    return Object.entries<Part>(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries<Part>(methods).map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase(),
        path,
      })),
    );
  }

  /** The schema of the first media type of a body. */
  static schemaOf(body: { readonly content?: Readonly<Record<string, Part>> } | undefined): Part {
    const [media] = Object.values(body?.content ?? {});
    return media?.schema;
  }

  /** Whether a value of this schema may have the field `a.b.c`. Lists are searched item by item. */
  hasField(schema: Part, path: string): boolean {
    const [first, ...rest] = path.split('.');
    return this.#alternatives(schema).some((one) => {
      const field = one.properties?.[first!];
      return field !== undefined && (rest.length === 0 || this.hasField(field, rest.join('.')));
    });
  }

  /** Differences between a value and its schema; empty if it conforms. */
  differences(schema: Part, value: unknown, place = '$'): readonly string[] {
    const options = this.#options(this.#resolved(schema));
    const all = options.map((one) => this.#faultsOf(one, value, place));
    return all.find((faults) => faults.length === 0) ?? all[0] ?? [`${place} fits nothing`];
  }

  #faultsOf(schema: Part, value: unknown, place: string): readonly string[] {
    const types = [schema.type ?? []].flat();
    if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
      return [`${place} is no ${types.join(' or ')}`];
    }
    if (schema.enum && !schema.enum.includes(value)) return [`${place} is none of its values`];
    if (Array.isArray(value)) {
      return value.flatMap((item, i) =>
        this.differences(schema.items ?? {}, item, `${place}[${i}]`),
      );
    }
    if (typeof value !== 'object' || value === null || !schema.properties) return [];
    const missing = (schema.required ?? []).filter((name: string) => !Object.hasOwn(value, name));
    const fields = Object.entries(value).flatMap(([name, field]) => {
      const known = schema.properties[name];
      if (!known && schema.additionalProperties === true) return [];
      return known
        ? this.differences(known, field, `${place}.${name}`)
        : [`${place}.${name} is unknown`];
    });
    return [...missing.map((name: string) => `${place}.${name} is missing`), ...fields];
  }

  /** All object schemas that the value or its items may have. */
  #alternatives(schema: Part): readonly Part[] {
    return this.#options(this.#resolved(schema)).flatMap((one) =>
      one.items ? this.#alternatives(one.items) : [one],
    );
  }

  #options(schema: Part): readonly Part[] {
    const options: Part[] | undefined = schema.anyOf ?? schema.oneOf;
    if (!options) return [schema];
    return options.flatMap((one) => this.#options(this.#resolved(one)));
  }

  #resolved(schema: Part): Part {
    if (typeof schema?.$ref !== 'string') return schema ?? {};
    return this.#resolved(this.#document.components.schemas[schema.$ref.split('/').at(-1)]);
  }
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
