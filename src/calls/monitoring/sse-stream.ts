import type { Response } from 'express';
import type { ClosedReason, LiveEvent } from './live-event.js';

/** Maximum backlog of a reader, bytes. The stream of a slower reader is closed. */
const MAX_WAITING = 256 * 1024;
/** Time for a reader to receive the rest of a closed stream. */
const CLOSE_WITHIN_MS = 5_000;

/** Ends a response with this text. A client that does not read it is disconnected after 5 s. */
export function endSoon(response: Response, text?: string): void {
  response.end(text);
  setTimeout(() => response.destroy(), CLOSE_WITHIN_MS).unref();
}

/** The event stream of a client (source: WHATWG HTML, server-sent events). Writing never blocks. */
export class EventStream {
  readonly #response: Response;
  readonly #onClosed: () => void;
  #isOpen = true;

  /** @param onClosed - called once, when nothing more can be written */
  constructor(response: Response, onClosed: () => void) {
    this.#response = response;
    this.#onClosed = onClosed;
    response.once('close', () => this.#end());
    if (response.closed) this.#end();
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      // Without this header, some proxies buffer the stream.
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
  }

  /** @param id - the Last-Event-ID of a client that reconnects */
  send({ type, ...data }: LiveEvent, id?: string): void {
    this.#write(
      `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`,
    );
  }

  /** Sends a comment, which keeps the stream alive. */
  beat(): void {
    this.#write(': beat\n\n');
  }

  /** Ends the stream with the reason. Idempotent. */
  close(reason: ClosedReason): void {
    if (!this.#isOpen) return;
    endSoon(this.#response, `event: closed\ndata: ${JSON.stringify({ reason })}\n\n`);
    this.#end();
  }

  #write(text: string): void {
    if (!this.#isOpen) return;
    if (this.#response.writableLength > MAX_WAITING) this.close('slow_reader');
    else this.#response.write(text);
  }

  #end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#onClosed();
  }
}
