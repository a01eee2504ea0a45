/** One event of a stream with parsed JSON data. */
export interface StreamEvent {
  readonly type: string;
  readonly data: unknown;
}

/** Parses server-sent events from chunks of text. */
export class SseParser {
  #rest = '';

  /** Adds a chunk. @returns the completed events */
  push(text: string): readonly StreamEvent[] {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const data = field(block, 'data');
      // A comment is a keep-alive.
      if (data === undefined) return [];
      return [{ type: field(block, 'event') ?? 'message', data: JSON.parse(data) }];
    });
  }
}

function field(block: string, name: string): string | undefined {
  const line = block.split('\n').find((one) => one.startsWith(`${name}: `));
  return line?.slice(name.length + 2);
}
