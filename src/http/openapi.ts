import type { z } from 'zod';
import { type JsonSchema, jsonSchemaOf } from './json-schema.js';
import type { Route, RouteResponse } from './route.js';
import { SchemaComponents } from './schema-components.js';

export interface ApiDescription {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Where the API is reached; without it the document says "here". */
  readonly serverUrl?: string;
}

const PREFIX = '/api/v1';
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'multipart/form-data';

const ERROR_RESPONSE: JsonSchema = {
  type: 'object',
  required: ['error', 'detail', 'code'],
  properties: {
    error: { type: 'string' },
    detail: { type: ['string', 'null'] },
    code: { type: ['string', 'null'] },
  },
};

const VALIDATION_ERROR: JsonSchema = {
  type: 'object',
  required: ['loc', 'msg', 'type'],
  properties: {
    type: { type: 'string' },
    loc: { type: 'array', items: { type: ['string', 'integer'] } },
    msg: { type: 'string' },
    input: {},
    ctx: { type: 'object' },
  },
};

const HTTP_VALIDATION_ERROR: JsonSchema = {
  type: 'object',
  required: ['detail'],
  properties: {
    detail: { type: 'array', items: { $ref: '#/components/schemas/ValidationError' } },
  },
};

/** Answers that routes have without declaring them. */
const COMMON_ERRORS: Readonly<Record<number, string>> = {
  401: 'Missing or invalid API key',
  403: 'The key lacks the scope',
  429: 'Too many requests',
  500: 'Internal error',
};

/** The OpenAPI 3.1 document of the routes: made from the very schemas that validate. */
export function openApiDocument(routes: readonly Route[], api: ApiDescription): JsonSchema {
  const schemas = new SchemaComponents({
    ErrorResponse: ERROR_RESPONSE,
    ValidationError: VALIDATION_ERROR,
    HTTPValidationError: HTTP_VALIDATION_ERROR,
  });
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = `${PREFIX}${route.path}`;
    paths[path] = { ...paths[path], [route.method]: operation(route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: { title: api.title, version: api.version, description: api.description },
    servers: [{ url: api.serverUrl ?? '/' }],
    security: [{ bearer: [] }],
    tags: [...new Set(routes.map(({ tag }) => tag))].sort().map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.all,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

function operation(route: Route, schemas: SchemaComponents): JsonSchema {
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    parameters: [
      ...parameters('path', route.params),
      ...parameters('query', route.query),
      ...headerParameters(route),
    ],
    ...(route.body ? { requestBody: requestBody(route, route.body, schemas) } : {}),
    responses: responses(route, schemas),
  };
}

function operationId({ method, path }: Route): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return [method, ...words].join('_').replaceAll('-', '_');
}

function parameters(place: 'path' | 'query', schema: z.ZodObject | undefined): JsonSchema[] {
  if (!schema) return [];
  const { properties, required } = jsonSchemaOf(schema, 'input') as {
    properties: Record<string, unknown>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, json]) => ({
    name,
    in: place,
    required: place === 'path' || (required ?? []).includes(name),
    schema: json,
  }));
}

function headerParameters(route: Route): JsonSchema[] {
  const header = (name: string, description: string, schema: JsonSchema) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', ...schema },
  });
  const repeated = 'A repetition with the same key is answered as the first request was.';
  const changed = 'The ETag that was read: what was changed since is left alone.';
  return [
    ...(route.isIdempotent
      ? [header('Idempotency-Key', repeated, { minLength: 1, maxLength: 255 })]
      : []),
    ...(route.isConditional ? [header('If-Match', changed, {})] : []),
  ];
}

function requestBody(
  { isMultipart }: Route,
  schema: z.ZodType,
  schemas: SchemaComponents,
): JsonSchema {
  const type = isMultipart ? FORM_TYPE : JSON_TYPE;
  return {
    required: !schema.safeParse(undefined).success,
    content: { [type]: { schema: schemas.of(schema, 'input') } },
  };
}

function responses(route: Route, schemas: SchemaComponents): JsonSchema {
  const all: Record<string, unknown> = {};
  for (const [status, description] of Object.entries(COMMON_ERRORS)) {
    all[status] = errorAnswer(description);
  }
  if (route.body || route.query || route.params) {
    all[422] = refAnswer('The request does not fit its schema', 'HTTPValidationError');
  }
  if (route.isIdempotent) all[409] = errorAnswer('The first request with this key still runs');
  if (route.isConditional) all[412] = errorAnswer('It was changed since it was read');
  for (const [status, response] of Object.entries(route.responses)) {
    all[status] =
      Number(status) < 400 ? answer(response, schemas) : errorAnswer(response.description);
  }
  return all;
}

function answer(
  { description, schema, mediaTypes, headers }: RouteResponse,
  schemas: SchemaComponents,
): JsonSchema {
  if (headers) {
    const plain = answer({ description, ...(schema && { schema }) }, schemas);
    return { ...plain, headers: headerAnswers(headers) };
  }
  if (mediaTypes) {
    const binary = { schema: { type: 'string', format: 'binary' } };
    return {
      description,
      content: Object.fromEntries(mediaTypes.map((type) => [type, binary])),
    };
  }
  if (!schema) return { description };
  return { description, content: { [JSON_TYPE]: { schema: schemas.of(schema, 'output') } } };
}

function headerAnswers(headers: Readonly<Record<string, string>>): JsonSchema {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  );
}

function errorAnswer(description: string): JsonSchema {
  return refAnswer(description, 'ErrorResponse');
}

function refAnswer(description: string, name: string): JsonSchema {
  const schema = { $ref: `#/components/schemas/${name}` };
  return { description, content: { [JSON_TYPE]: { schema } } };
}
