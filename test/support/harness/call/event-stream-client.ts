import { request } from 'node:http';

/** One received event. */
export interface ReadEvent {
  readonly type: string;
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service sends
  readonly data: any;
}

export interface ReaderOptions {
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client of an event stream. */
export class EventReader {
  readonly events: ReadEvent[] = [];
  status = 0;
  beats = 0;
  isOver = false;
  readonly #request;
  #rest = '';

  private constructor(url: string, { key, headers }: ReaderOptions, isReading: boolean) {
    this.#request = request(url, {
      agent: false,
      headers: { accept: 'text/event-stream', authorization: `Bearer ${key}`, ...headers },
    });
    this.#request.on('response', (response) => {
      this.status = response.statusCode ?? 0;
      response.on('close', () => {
        this.isOver = true;
      });
      response.on('error', () => undefined);
      if (!isReading) return; // the receive buffer fills up
      response.setEncoding('utf8');
      response.on('data', (text: string) => this.#read(text));
    });
    this.#request.on('error', () => {
      this.isOver = true;
    });
    this.#request.end();
  }

  /** Resolves when the response has started. */
  static async open(url: string, options: ReaderOptions): Promise<EventReader> {
    const reader = new EventReader(url, options, true);
    await reader.until(() => reader.status !== 0);
    return reader;
  }

  /** A client that never reads the response body. */
  static async openIdle(url: string, options: ReaderOptions): Promise<EventReader> {
    const reader = new EventReader(url, options, false);
    await reader.until(() => reader.status !== 0);
    return reader;
  }

  /** Waits for the first event of a type whose data fits. */
  async waitFor(type: string, fits: (data: ReadEvent['data']) => boolean = () => true) {
    const find = () => this.events.find((event) => event.type === type && fits(event.data));
    await this.until(() => find() !== undefined);
    return find()!;
  }

  /** The data of all events of a type. */
  all(type: string): readonly ReadEvent['data'][] {
    return this.events.filter((event) => event.type === type).map(({ data }) => data);
  }

  async until(isSo: () => boolean, timeoutMs = 30_000): Promise<void> {
    const limit = Date.now() + timeoutMs;
    while (!isSo()) {
      if (Date.now() > limit)
        throw new Error(`The event did not arrive in time: ${JSON.stringify(this.events)}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  close(): void {
    this.#request.destroy();
  }

  #read(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) {
        this.beats++;
        continue;
      }
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      this.events.push({
        type: field('event') ?? '',
        id: field('id'),
        data: JSON.parse(field('data') ?? 'null'),
      });
    }
  }
}
