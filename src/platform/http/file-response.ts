import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { ByteRange, ObjectStore } from '../storage/object-store.js';
import { ApiError } from './api-error.js';

/**
 * Sends a file in memory, or the part of it that `Range` selects.
 * @throws ApiError RANGE_NOT_SATISFIABLE
 */
export function sendBytes(request: Request, response: Response, bytes: Buffer): void {
  const { start, end } = rangeOf(request, response, bytes.length);
  response.end(request.method === 'HEAD' ? undefined : bytes.subarray(start, end + 1));
}

/**
 * Sends an object of the store, or the part of it that `Range` selects.
 * @throws ApiError RANGE_NOT_SATISFIABLE, StorageError
 */
export async function sendObject(
  request: Request,
  response: Response,
  {
    objectStore,
    key,
    size,
  }: { readonly objectStore: ObjectStore; readonly key: string; readonly size: number },
): Promise<void> {
  const { start, end } = rangeOf(request, response, size);
  if (request.method === 'HEAD' || size === 0) {
    response.end();
    return;
  }
  const source = await objectStore.open(key, { start, end });
  // The client may close the connection before the end.
  await pipeline(source, response).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

/**
 * Sets the status and the headers for a file of `size` bytes, and returns the bytes to send. A request
 * for several ranges gets the whole file, which the standard allows. Source: RFC 9110, section 14.
 * @throws ApiError RANGE_NOT_SATISFIABLE
 */
function rangeOf(request: Request, response: Response, size: number): ByteRange {
  response.set('Accept-Ranges', 'bytes');
  const ranges = request.method === 'GET' ? request.range(size) : undefined;
  if (ranges === -1) {
    throw new ApiError('RANGE_NOT_SATISFIABLE', 'The range starts after the end of the file', {
      headers: { 'Content-Range': `bytes */${size}` },
    });
  }
  const isSingleRange = Array.isArray(ranges) && ranges.type === 'bytes' && ranges.length === 1;
  const { start, end } = isSingleRange ? ranges[0]! : { start: 0, end: size - 1 };
  response.status(isSingleRange ? 206 : 200).set('Content-Length', String(end - start + 1));
  if (isSingleRange) response.set('Content-Range', `bytes ${start}-${end}/${size}`);
  return { start, end };
}
