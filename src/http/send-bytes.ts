import type { Request, Response } from 'express';
import { ApiError } from '../errors.js';

/**
 * Sends a whole file that is in memory, or the one part of it that `Range` asks for; of several parts
 * at once none is made, which the standard allows. Source: RFC 9110, 14.
 * @throws ApiError RANGE_NOT_SATISFIABLE
 */
export function sendBytes(request: Request, response: Response, bytes: Buffer): void {
  response.set('Accept-Ranges', 'bytes');
  const ranges = request.method === 'GET' ? request.range(bytes.length) : undefined;
  if (ranges === -1) {
    throw new ApiError('RANGE_NOT_SATISFIABLE', 'The file ends before this range', {
      headers: { 'Content-Range': `bytes */${bytes.length}` },
    });
  }
  const range = Array.isArray(ranges) && ranges.type === 'bytes' && ranges.length === 1;
  const { start, end } = range ? ranges[0]! : { start: 0, end: bytes.length - 1 };
  response.status(range ? 206 : 200).set('Content-Length', String(end - start + 1));
  if (range) response.set('Content-Range', `bytes ${start}-${end}/${bytes.length}`);
  response.end(request.method === 'HEAD' ? undefined : bytes.subarray(start, end + 1));
}
