import type { Response } from 'express';

/**
 * Writes pieces as they come and ends the answer. The next piece is asked for when the client has taken
 * the one before, so a client that stops reading stops what makes them; one that takes nothing for
 * `idleMs` is cut off.
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

/** Resolves at the event or when the connection is gone; hangs up when neither comes in time. */
function waitFor(response: Response, event: 'drain' | 'finish', idleMs: number): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const hangUp = setTimeout(() => response.destroy(), idleMs);
    const done = () => {
      clearTimeout(hangUp);
      response.off(event, done);
      response.off('close', done);
      resolve();
    };
    response.on(event, done);
    response.on('close', done);
  });
}
