import type { IncomingMessage } from 'node:http';
import { runInSteps, runToEnd, type SteppedTask } from '../../../../media/async/cooperative.js';
import { parseJsonInSteps } from '../../../../media/async/incremental-json.js';
import { ApiError } from '../api-error.js';
import { InvalidInput } from './invalid-input.js';
import { findJsonFault, MAX_JSON_DEPTH, tooDeepAt } from './json-syntax-error.js';

/** Bytes that are decoded in one step. */
const BYTES_DECODED = 262_144;

/**
 * Reads and parses the JSON body of a request; undefined if it is empty.
 * @throws ApiError PAYLOAD_TOO_LARGE over `maxBytes`, UNSUPPORTED_MEDIA_TYPE if it is not JSON.
 * @throws InvalidInput `json_invalid`, with the position of the fault.
 */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return undefined;
  if (!isJson(request.headers['content-type'])) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json');
  }
  return runInSteps(parseInSteps(bytes));
}

/** Reads the whole body. Reading stops at the limit. */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    length += part.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The body must not be larger than ${maxBytes} bytes`, {
    headers: { Connection: 'close' },
  });
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return true;
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  return type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type);
}

/** Parses UTF-8 JSON with bounded nesting and without `__proto__` members. */
export function parseJson(bytes: Uint8Array): unknown {
  return runToEnd(parseInSteps(bytes));
}

function* parseInSteps(bytes: Uint8Array): SteppedTask<unknown> {
  const text = yield* decodeInSteps(bytes);
  const deep = yield* tooDeepAt(text);
  if (deep !== undefined) {
    throw jsonInvalid(`Nesting deeper than ${MAX_JSON_DEPTH} levels`, deep);
  }
  // The name may contain escapes, so a text with any escape is also cleaned.
  const isClean = !/__proto__|\\u/.test(text);
  try {
    return yield* parseJsonInSteps(text, isClean ? undefined : withoutProto);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const fault = yield* findJsonFault(text);
    throw jsonInvalid(fault.error, fault.offset);
  }
}

function* decodeInSteps(bytes: Uint8Array): SteppedTask<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  try {
    for (let at = 0; at < bytes.length; at += BYTES_DECODED) {
      text += decoder.decode(bytes.subarray(at, at + BYTES_DECODED), { stream: true });
      yield;
    }
    return text + decoder.decode();
  } catch {
    throw jsonInvalid('Invalid UTF-8', 0);
  }
}

/** Deletes members named `__proto__`, which an assignment would use as the prototype. */
function withoutProto(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Object.hasOwn(value, '__proto__')) Reflect.deleteProperty(value, '__proto__');
  for (const member of Object.values(value)) withoutProto(member);
  return value;
}

function jsonInvalid(error: string, offset: number): InvalidInput {
  return new InvalidInput([
    {
      type: 'json_invalid',
      loc: ['body', offset],
      msg: 'JSON decode error',
      input: {},
      ctx: { error },
    },
  ]);
}
