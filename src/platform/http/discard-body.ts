import type { IncomingMessage } from 'node:http';

/** As much as a refused body may go on for. */
const DISCARD_BYTES = 16 * 1024 * 1024;
const DISCARD_FOR_MS = 3_000;

/**
 * Reads and drops what is left of a request's body, within bounds. Many clients read no answer
 * before they have sent everything: a connection that closes early shows them a broken pipe, and
 * not why they were refused.
 */
export function discardBody(request: IncomingMessage): Promise<void> {
  const { headers } = request;
  const declared = Number(headers['content-length'] ?? 0);
  const hasBody = declared > 0 || headers['transfer-encoding'] !== undefined;
  if (!hasBody || request.complete || request.destroyed) return Promise.resolve();
  if (declared > DISCARD_BYTES) return Promise.resolve();
  return new Promise((resolve) => {
    let length = 0;
    const count = (part: Buffer) => {
      length += part.length;
      if (length > DISCARD_BYTES) done();
    };
    const timer = setTimeout(done, DISCARD_FOR_MS);
    function done(): void {
      clearTimeout(timer);
      request.off('data', count).off('end', done).off('close', done);
      resolve();
    }
    request.on('data', count).on('end', done).on('close', done);
    request.resume();
  });
}
