import type { Request, Response } from 'express';
import type { ByteRange } from '../storage/object-store.js';
import { ApiError } from './api-error.js';

/**
 * Sends a whole file that is in memory, or the one part of it that `Range` asks for.
 * @throws ApiError RANGE_NOT_SATISFIABLE
 */
export function sendBytes(request: Request, response: Response, bytes: Buffer): void {
  const { start, end } = rangeOf(request, response, bytes.length);
  response.end(request.method === 'HEAD' ? undefined : bytes.subarray(start, end + 1));
}

/**
 * Sets status and headers for a file of so many bytes, and says which of them to send; of several
 * parts at once none is made, which the standard allows. Source: RFC 9110, 14.
 * @throws ApiError RANGE_NOT_SATISFIABLE
 */
export function rangeOf(request: Request, response: Response, size: number): ByteRange {
  response.set('Accept-Ranges', 'bytes');
  const ranges = request.method === 'GET' ? request.range(size) : undefined;
  if (ranges === -1) {
    throw new ApiError('RANGE_NOT_SATISFIABLE', 'The file ends before this range', {
      headers: { 'Content-Range': `bytes */${size}` },
    });
  }
  const range = Array.isArray(ranges) && ranges.type === 'bytes' && ranges.length === 1;
  const { start, end } = range ? ranges[0]! : { start: 0, end: size - 1 };
  response.status(range ? 206 : 200).set('Content-Length', String(end - start + 1));
  if (range) response.set('Content-Range', `bytes ${start}-${end}/${size}`);
  return { start, end };
}
