import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** A finding that the contract wants: a value of another type that is taken for what it says. */
const Coercion = z.object({
  name: z.string(),
  /** What the document's schema asks for. */
  expected: z.enum(['number', 'boolean']),
  /** What is taken for it, as JSON. */
  value: z.string().transform((pattern) => new RegExp(pattern, 'i')),
  reason: z.string(),
});
type Coercion = z.output<typeof Coercion>;

interface Wrong {
  readonly expected: string;
  readonly path: readonly PropertyKey[];
}

/** Tells whether a body that the document does not allow differs from it by listed coercions only. */
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

  /** What the document says, to the letter. */
  strict(schema: object): z.ZodType {
    const known = this.#strict.get(schema);
    if (known) return known;
    const text = JSON.stringify({ ...schema, $defs: this.#schemas });
    const made = z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')));
    this.#strict.set(schema, made);
    return made;
  }

  /** Their names; undefined where anything else is wrong too, or nothing is. */
  explaining(schema: object, body: unknown): readonly string[] | undefined {
    const { error } = this.strict(schema).safeParse(body);
    const names = wrongsOf(error?.issues ?? []).map(({ expected, path }) => {
      const value = JSON.stringify(path.reduce<unknown>(member, body)) ?? '';
      return this.#known.find((one) => one.expected === expected && one.value.test(value))?.name;
    });
    const isExplained = names.length > 0 && names.every((name) => name !== undefined);
    return isExplained ? [...new Set(names as string[])] : undefined;
  }
}

/** What is wrong where; of alternatives that is the one that is not null. */
function wrongsOf(
  issues: readonly z.core.$ZodIssue[],
  place: readonly PropertyKey[] = [],
): Wrong[] {
  return issues.flatMap((issue) => {
    const path = [...place, ...issue.path];
    if (issue.code === 'invalid_union') {
      const branches = issue.errors.map((branch) => wrongsOf(branch, path));
      return branches.find(([first]) => first?.expected !== 'null') ?? [];
    }
    return [{ expected: issue.code === 'invalid_type' ? issue.expected : issue.code, path }];
  });
}

function member(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
