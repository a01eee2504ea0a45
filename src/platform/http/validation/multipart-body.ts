import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import { ApiError } from '../api-error.js';
import { InvalidField } from './coerce.js';
import { valueError } from './invalid-input.js';
import { custom } from './schema-builders.js';

/** Limit of everything except the files: names, fields, boundaries. */
const MORE_BYTES = 65_536;
const LIMITS = { fields: 20, fieldSize: 20_000, fieldNameSize: 200, parts: 24, files: 1 };

/** A file of a form, in memory. */
export class UploadedFile {
  /** The client's name of the file. Never use it as a path. */
  readonly name: string;
  readonly bytes: Uint8Array;

  constructor(name: string, bytes: Uint8Array) {
    this.name = name;
    this.bytes = bytes;
  }

  /** SHA-256 of the content, to compare requests. */
  toJSON(): unknown {
    return { name: this.name, sha256: createHash('sha256').update(this.bytes).digest('hex') };
  }
}

/** Member of a file's schema with its media types. The OpenAPI document moves them to the encodings. */
export const MEDIA_TYPES = 'x-media-types';

/** Documentation of a form's file. */
export interface UploadDescription {
  readonly description: string;
  readonly mediaTypes: readonly string[];
  /** Example of the content. */
  readonly example: string;
}

/** A file in the schema of a form. */
export function upload({ description, mediaTypes, example }: UploadDescription) {
  return custom<UploadedFile>(
    (value) =>
      value instanceof UploadedFile
        ? value
        : InvalidField.ofRule(`Expected UploadFile, received: ${typeof value}`),
    {
      type: 'string',
      format: 'binary',
      description,
      examples: [example],
      [MEDIA_TYPES]: mediaTypes,
    },
  );
}

/**
 * Reads a form: its text fields, and its file in the field `file`. An empty text field counts as absent,
 * because browsers send every field of a form. FastAPI does the same.
 * @throws ApiError PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE; BAD_REQUEST if it is not a form.
 */
export async function readMultipartBody(
  request: Request,
  maxFileBytes: number,
): Promise<Record<string, unknown>> {
  const declared = Number(request.headers['content-length'] ?? 0);
  const hasBody = declared > 0 || request.headers['transfer-encoding'] !== undefined;
  if (!hasBody) return {};
  if (!request.is('multipart/form-data')) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The body must be multipart/form-data');
  }
  if (declared > maxFileBytes + MORE_BYTES) throw tooLarge(maxFileBytes);
  const read = multer({
    storage: multer.memoryStorage(),
    limits: { ...LIMITS, fileSize: maxFileBytes },
    // Names are UTF-8, although early standards allowed only Latin-1.
    defParamCharset: 'utf8',
  }).single('file');
  await new Promise<void>((resolve, reject) => {
    read(request, request.res as Response, (error: unknown) => {
      if (error) reject(asApiError(error, maxFileBytes));
      else resolve();
    });
  });
  const { file } = request;
  const fields = Object.entries(request.body as Record<string, unknown>);
  return {
    ...Object.fromEntries(fields.filter(([, value]) => value !== '')),
    ...(file && { file: new UploadedFile(file.originalname, file.buffer) }),
  };
}

function asApiError(error: unknown, maxFileBytes: number): unknown {
  if (!(error instanceof MulterError)) {
    return new ApiError('BAD_REQUEST', 'The form cannot be read', { cause: error });
  }
  if (error.code === 'LIMIT_FILE_SIZE') return tooLarge(maxFileBytes);
  if (error.code === 'LIMIT_UNEXPECTED_FILE') {
    const field = (error.field ?? 'file').slice(0, 100);
    return valueError(['body', field], 'a file is expected in the field file only', null);
  }
  return new ApiError('BAD_REQUEST', `The form cannot be read: ${error.message}`, { cause: error });
}

function tooLarge(maxFileBytes: number): ApiError {
  return new ApiError(
    'PAYLOAD_TOO_LARGE',
    `The file must not be larger than ${maxFileBytes} bytes`,
    {
      headers: { Connection: 'close' },
    },
  );
}
