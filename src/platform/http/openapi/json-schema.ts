import { z } from 'zod';

/** A JSON schema, as plain data. */
export type JsonSchema = Record<string, unknown>;

/**
 * The JSON schema of what `schema` takes (`input`) or of what an answer holds (`output`).
 * Schemas with an `id` in their meta become references, collected by the caller's registry.
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    // Answers are declared by the same kit, so a field's input form is its JSON form there too.
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      // zod leaves the default of a coercing field out, as it cannot know that it is plain JSON.
      if (def.type === 'default') jsonSchema.default = (def as z.core.$ZodDefaultDef).defaultValue;
      const { default: told, examples } = z.globalRegistry.get(zodSchema) ?? {};
      if (told !== undefined) jsonSchema.default = told as z.core.JSONSchema.BaseSchema['default'];
      if (Array.isArray(examples)) jsonSchema.examples = examples;
      if (io === 'output' && jsonSchema.type === 'object' && jsonSchema.properties) {
        requireDefaulted(zodSchema, jsonSchema);
      }
    },
  });
  return json;
}

/** What has a default may be left out of a request, but is always there in an answer. */
function requireDefaulted(schema: z.core.$ZodTypes, json: z.core.JSONSchema.BaseSchema): void {
  if (!(schema instanceof z.ZodObject)) return;
  const isAlwaysThere = ([, field]: [string, z.core.$ZodType]) => !(field instanceof z.ZodOptional);
  json.required = Object.entries(schema.shape)
    .filter(isAlwaysThere)
    .map(([key]) => key);
}
