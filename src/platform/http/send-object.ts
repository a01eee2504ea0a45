import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { ObjectStore } from '../storage/object-store.js';
import { rangeOf } from './file-response.js';

/**
 * Sends an object of the store, or the one part of it that `Range` asks for.
 * @throws ApiError RANGE_NOT_SATISFIABLE, StorageError
 */
export async function sendObject(
  request: Request,
  response: Response,
  {
    store,
    key,
    size,
  }: { readonly store: ObjectStore; readonly key: string; readonly size: number },
): Promise<void> {
  const { start, end } = rangeOf(request, response, size);
  if (request.method === 'HEAD' || size === 0) {
    response.end();
    return;
  }
  const source = await store.open(key, { start, end });
  // A client that went away has had enough.
  await pipeline(source, response).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}
