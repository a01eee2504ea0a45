import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** An accepted finding: the API coerces a value of another type, as the contract requires. */
const Coercion = z.object({
  name: z.string(),
  /** The type in the document's schema. */
  expected: z.enum(['number', 'boolean']),
  /** Pattern of the accepted value as JSON. */
  value: z.string().transform((pattern) => new RegExp(pattern, 'i')),
  reason: z.string(),
});
type Coercion = z.output<typeof Coercion>;

interface Violation {
  readonly expected: string;
  readonly path: readonly PropertyKey[];
}

/** Decides whether a body violates the document only by listed coercions. */
export class Coercions {
  readonly #known: readonly Coercion[];
  readonly #schemas: object;
  readonly #strict = new WeakMap<object, z.ZodType>();

  /** @param schemas the document's named schemas */
  constructor(schemas: object) {
    const file = 'test/fixtures/schemathesis/findings.json';
    this.#known = z.array(Coercion).parse(JSON.parse(readFileSync(file, 'utf8')));
    this.#schemas = schemas;
  }

  /** Validates exactly by the document's schema, without coercions. */
  strict(schema: object): z.ZodType {
    const known = this.#strict.get(schema);
    if (known) return known;
    const text = JSON.stringify({ ...schema, $defs: this.#schemas });
    const made = z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')));
    this.#strict.set(schema, made);
    return made;
  }

  /** The names of the coercions; undefined if the body is valid or has other errors. */
  explaining(schema: object, body: unknown): readonly string[] | undefined {
    const { error } = this.strict(schema).safeParse(body);
    const names = violationsOf(error?.issues ?? []).map(({ expected, path }) => {
      const value = JSON.stringify(path.reduce<unknown>(member, body)) ?? '';
      return this.#known.find((one) => one.expected === expected && one.value.test(value))?.name;
    });
    const isExplained = names.length > 0 && names.every((name) => name !== undefined);
    return isExplained ? [...new Set(names as string[])] : undefined;
  }
}

/**
 * The invalid paths and their expected types; for a union, those of the alternative that is not
 * null.
 */
function violationsOf(
  issues: readonly z.core.$ZodIssue[],
  place: readonly PropertyKey[] = [],
): Violation[] {
  return issues.flatMap((issue) => {
    const path = [...place, ...issue.path];
    if (issue.code === 'invalid_union') {
      const branches = issue.errors.map((branch) => violationsOf(branch, path));
      return branches.find(([first]) => first?.expected !== 'null') ?? [];
    }
    return [{ expected: issue.code === 'invalid_type' ? issue.expected : issue.code, path }];
  });
}

function member(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
