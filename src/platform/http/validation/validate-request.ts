import type { Request } from 'express';
import { z } from 'zod';
import { ApiError } from '../api-error.js';
import type { RouteForm } from '../route.js';
import { parseInSlices } from './incremental-parse.js';
import { InvalidInput, type ValidationError } from './invalid-input.js';
import { readJsonBody } from './json-body.js';
import { readMultipartBody } from './multipart-body.js';
import { validationErrorsOf } from './validation-errors.js';

/** The schemas of the parts of a request. A part without a schema is not read. */
export interface InputSchemas {
  readonly body?: z.ZodType | undefined;
  readonly query?: z.ZodObject | undefined;
  readonly params?: z.ZodObject | undefined;
  readonly isForm?: boolean | undefined;
  readonly alternativeForm?: RouteForm | undefined;
  readonly maxBodyBytes: number;
}

/** The validated parts of a request. */
export interface Input {
  readonly body: unknown;
  readonly query: unknown;
  readonly params: unknown;
}

/**
 * Reads and checks all parts of a request.
 * @throws InvalidInput with the errors of every part, in the order path, query, body.
 */
export async function readInput(request: Request, schemas: InputSchemas): Promise<Input> {
  if (Object.values(request.params).some((value) => String(value).includes('\0'))) {
    throw new ApiError('NOT_FOUND', 'There is nothing at this path');
  }
  const errors: ValidationError[] = [];
  const parse = async (part: string, schema: z.ZodType | undefined, raw: unknown) => {
    if (!schema) return undefined;
    const result = await parseInSlices(schema, raw);
    if (result.success) return result.data;
    errors.push(...validationErrorsOf(part, raw, result.error.issues));
    return undefined;
  };
  const form =
    schemas.alternativeForm && request.is('multipart/form-data')
      ? schemas.alternativeForm
      : undefined;
  const readBody = schemas.isForm || form ? readMultipartBody : readJsonBody;
  const maxBytes = form?.maxFileBytes ?? schemas.maxBodyBytes;
  const bodySchema = form?.body ?? schemas.body;
  // As in FastAPI, a body that is null counts as absent.
  const body = bodySchema && ((await readBody(request, maxBytes)) ?? undefined);
  const input = {
    params: await parse('path', schemas.params, { ...request.params }),
    query: await parse(
      'query',
      schemas.query,
      schemas.query && queryOf(request.url, schemas.query),
    ),
    body: await parse('body', bodySchema, body),
  };
  if (errors.length > 0) throw new InvalidInput(errors);
  return input;
}

/** A list gets all values of its key, any other parameter the last one. */
function queryOf(url: string, schema: z.ZodObject): Record<string, unknown> {
  const start = url.indexOf('?');
  const given = new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
  const raw: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(schema.shape)) {
    const values = given.getAll(key);
    if (values.length > 0) raw[key] = isList(field) ? values : values.at(-1);
  }
  return raw;
}

function isList(field: z.core.$ZodType): boolean {
  let inner = field;
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodNullable ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPrefault
  ) {
    inner = inner.def.innerType;
  }
  return inner instanceof z.ZodArray;
}
