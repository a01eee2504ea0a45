import type { Response } from 'express';
import type { ClosedReason, LiveEvent } from './live-event.js';

/** A reader that is so far behind is sent away, bytes. */
const MAX_WAITING = 256 * 1024;
/** After which what is left for a reader that was sent away is dropped. */
const FAREWELL_MS = 5_000;

/** Ends a response with this text; a client that does not read it is cut off after 5 s. */
export function endSoon(response: Response, text?: string): void {
  response.end(text);
  setTimeout(() => response.destroy(), FAREWELL_MS).unref();
}

/** A client's event stream (Source: WHATWG HTML, server-sent events). It never holds up who writes. */
export class EventStream {
  readonly #response: Response;
  readonly #onClosed: () => void;
  #isOpen = true;

  /** @param onClosed told once, when nothing more can be written. */
  constructor(response: Response, onClosed: () => void) {
    this.#response = response;
    this.#onClosed = onClosed;
    response.once('close', () => this.#end());
    if (response.closed) this.#end();
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      // Some proxies would gather it else.
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
  }

  /** @param id what a client that comes again sends as Last-Event-ID. */
  send({ type, ...data }: LiveEvent, id?: string): void {
    this.#write(
      `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`,
    );
  }

  /** A line that says no more than that the stream lives. */
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
