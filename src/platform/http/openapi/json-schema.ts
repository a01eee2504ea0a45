import { z } from 'zod';

/** A JSON schema, as plain data. */
export type JsonSchema = Record<string, unknown>;

/**
 * The JSON schema of a request (`input`) or a response (`output`).
 * Schemas with an `id` in their meta become references, collected by the caller's registry.
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    // Responses use the same builders, so the input form of a field is also its form in a response.
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      // zod omits the default of a transform, because it may not be plain JSON.
      if (def.type === 'default') jsonSchema.default = (def as z.core.$ZodDefaultDef).defaultValue;
      const { default: documented, examples } = z.globalRegistry.get(zodSchema) ?? {};
      if (documented !== undefined)
        jsonSchema.default = documented as z.core.JSONSchema.BaseSchema['default'];
      if (Array.isArray(examples)) jsonSchema.examples = examples;
      if (io === 'output' && jsonSchema.type === 'object' && jsonSchema.properties) {
        requireDefaulted(zodSchema, jsonSchema);
      }
    },
  });
  return json;
}

/** A field with a default is optional in a request, but always present in a response. */
function requireDefaulted(schema: z.core.$ZodTypes, json: z.core.JSONSchema.BaseSchema): void {
  if (!(schema instanceof z.ZodObject)) return;
  const isAlwaysThere = ([, field]: [string, z.core.$ZodType]) => !(field instanceof z.ZodOptional);
  json.required = Object.entries(schema.shape)
    .filter(isAlwaysThere)
    .map(([key]) => key);
}
