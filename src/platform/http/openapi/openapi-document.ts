import type { z } from 'zod';
import { IDEMPOTENCY_KEY } from '../idempotency.js';
import type { Route, RouteResponse } from '../route.js';
import { describeScopes } from '../scopes.js';
import { MEDIA_TYPES } from '../validation/multipart-body.js';
import { type JsonSchema, jsonSchemaOf } from './json-schema.js';
import { ERROR_SCHEMAS, errorAnswer } from './openapi-errors.js';
import { ExampleMaker } from './openapi-examples.js';
import { SchemaComponents } from './schema-components.js';

export interface ApiDescription {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** URL of the API. Default: the origin of the OpenAPI document. */
  readonly serverUrl?: string;
}

const PREFIX = '/api/v1';
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'multipart/form-data';

/** Error responses of every route. */
const COMMON_ERRORS: Readonly<Record<number, string>> = {
  401: 'Missing or invalid API key',
  403: 'The key lacks the scope',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Overloaded, or the database is unavailable: see Retry-After',
};

/** The OpenAPI 3.1 document of the routes, derived from the schemas that validate requests. */
export function openApiDocument(routes: readonly Route[], api: ApiDescription): JsonSchema {
  const schemas = new SchemaComponents(ERROR_SCHEMAS);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = `${PREFIX}${route.path}`;
    paths[path] = { ...paths[path], [route.method]: operation(route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: { title: api.title, version: api.version, description: api.description },
    servers: [{ url: api.serverUrl ?? '/' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].sort().map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.all,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** Credentials. In the list of a route, `bearer` names the required scope. */
const SECURITY_SCHEMES: JsonSchema = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: `An API key or a JWT. Scopes (\`*\` grants all):\n\n${describeScopes()}`,
  },
  end_token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token of one call, from its connection details.',
  },
  signed_link: {
    type: 'apiKey',
    in: 'query',
    name: 'signature',
    description: 'Part of a signed link, which expires.',
  },
};

/** The credentials of a route. One of them is sufficient. */
function securityOf({ credential, scope }: Route): readonly JsonSchema[] {
  const own = credential ? [{ [credential.kind]: [] }] : [];
  if (credential && !credential.orKey) return own;
  return [{ bearer: scope === 'any' ? [] : [scope] }, ...own];
}

function operation(route: Route, schemas: SchemaComponents): JsonSchema {
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    security: securityOf(route),
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
    ...(place === 'path' && { example: new ExampleMaker({}).make(json as JsonSchema, name) }),
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
  const repeated = 'A repetition with the same key gets the response of the first request.';
  const changed = 'The ETag that you read. If the resource has changed since, the answer is 412.';
  return [
    ...(route.isIdempotent
      ? [header('Idempotency-Key', repeated, { pattern: IDEMPOTENCY_KEY.source })]
      : []),
    ...(route.isConditional ? [header('If-Match', changed, {})] : []),
  ];
}

function requestBody(
  { isForm, alternativeForm }: Route,
  schema: z.ZodType,
  schemas: SchemaComponents,
): JsonSchema {
  const required = !schema.safeParse(undefined).success;
  const body = described(schema, schemas, 'input');
  if (isForm) return { required, content: { [FORM_TYPE]: formBody(schema, schemas) } };
  return {
    required,
    content: {
      [JSON_TYPE]: body,
      ...(alternativeForm && { [FORM_TYPE]: formBody(alternativeForm.body, schemas) }),
    },
  };
}

function formBody(schema: z.ZodType, schemas: SchemaComponents): JsonSchema {
  const body = described(schema, schemas, 'input');
  return { ...body, encoding: encodings(body.schema, schemas) };
}

/** Moves the media types of files from the schemas of a form to its encodings. */
function encodings(form: JsonSchema, schemas: SchemaComponents): JsonSchema {
  const name = String(form.$ref).split('/').at(-1)!;
  const fields = Object.entries(
    (schemas.all[name]?.properties ?? {}) as Record<string, JsonSchema>,
  );
  return Object.fromEntries(
    fields.flatMap(([field, json]) => {
      const types = json[MEDIA_TYPES];
      if (!Array.isArray(types)) return [];
      delete json[MEDIA_TYPES];
      return [[field, { contentType: types.join(', ') }]];
    }),
  );
}

function responses(route: Route, schemas: SchemaComponents): JsonSchema {
  const errors: Record<number, string> = { ...COMMON_ERRORS };
  if (route.isForm || route.alternativeForm) errors[400] = 'The form cannot be read';
  if (route.body) {
    errors[413] = 'The body is too large';
    errors[415] = 'The body is of another type';
  }
  if (route.body || route.query || route.params || route.isIdempotent) {
    errors[422] = 'The request does not match its schema';
  }
  if (route.isIdempotent) errors[409] = 'The first request with this key is still running';
  if (route.isConditional) errors[412] = 'The resource has changed since it was read';
  const all: Record<string, unknown> = {};
  for (const [status, response] of Object.entries(route.responses)) {
    if (Number(status) < 400) all[status] = answer(response, schemas);
    else errors[Number(status)] = response.description;
  }
  for (const [status, description] of Object.entries(errors)) {
    all[status] = errorAnswer(Number(status), description);
  }
  return all;
}

/** The schema of a body, with an example. */
function described(schema: z.ZodType, schemas: SchemaComponents, io: 'input' | 'output') {
  const json = schemas.of(schema, io);
  return { schema: json, example: new ExampleMaker(schemas.all).make(json) };
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
  return { description, content: { [JSON_TYPE]: described(schema, schemas, 'output') } };
}

function headerAnswers(headers: Readonly<Record<string, string>>): JsonSchema {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  );
}
