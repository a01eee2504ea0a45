/** JSON Schema of a tool's arguments. */
export type ArgumentSchema = Readonly<Record<string, unknown>>;

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
/** Keywords whose value is an array only in a schema. A parameter of that name has a text or a schema. */
const SCHEMA_LISTS = ['required', 'allOf', 'anyOf', 'oneOf'];

/**
 * Converts a tool's parameters to JSON Schema. Accepts a schema, or shorthand such as
 * `{"customer_id": "string"}`, where every parameter is required. A text that is not a type is the
 * description of a string.
 */
export function argumentSchema(parameters: Readonly<Record<string, unknown>>): ArgumentSchema {
  if (isSchema(parameters)) {
    return { ...parameters, type: 'object', properties: parameters.properties ?? {} };
  }
  const properties = Object.entries(parameters).map(([name, form]) => [name, schemaOf(form)]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: Object.keys(parameters),
  };
}

function isSchema(parameters: Readonly<Record<string, unknown>>): boolean {
  const { type, properties, $ref, $schema } = parameters;
  if (type === 'object' || (Array.isArray(type) && type.includes('object'))) return true;
  if (isObject(properties) && !('type' in properties && typeof properties.type === 'string')) {
    return true;
  }
  const names = [$ref, $schema];
  return (
    names.some((name) => typeof name === 'string' && !TYPES.includes(name)) ||
    SCHEMA_LISTS.some((name) => Array.isArray(parameters[name]))
  );
}

function schemaOf(form: unknown): ArgumentSchema {
  if (typeof form === 'string') {
    return TYPES.includes(form) ? { type: form } : { type: 'string', description: form };
  }
  return isObject(form) ? form : {};
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
