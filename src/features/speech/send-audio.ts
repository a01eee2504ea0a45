import type { Response } from 'express';

/**
 * Writes chunks and ends the response. Pulls the next chunk when the client has read the one before, so
 * a client that stops reading stops synthesis. After `idleMs` without reading it is disconnected.
 */
export async function sendAudio(
  response: Response,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  idleMs: number,
): Promise<void> {
  for await (const chunk of chunks) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await waitFor(response, 'drain', idleMs);
  }
  if (response.destroyed) return;
  response.end();
  if (!response.writableFinished) await waitFor(response, 'finish', idleMs);
}

/** Resolves at the event or when the connection closes. Disconnects the client after `idleMs`. */
function waitFor(response: Response, event: 'drain' | 'finish', idleMs: number): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), idleMs);
    const done = () => {
      clearTimeout(timer);
      response.off(event, done);
      response.off('close', done);
      resolve();
    };
    response.on(event, done);
    response.on('close', done);
  });
}
