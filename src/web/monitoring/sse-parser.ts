/** One event of a stream, its data as JSON has it. */
export interface StreamEvent {
  readonly type: string;
  readonly data: unknown;
}

/** Reads a stream of server-sent events from the pieces in which its text comes. */
export class EventLines {
  #rest = '';

  /** The events that are whole by now. */
  push(text: string): readonly StreamEvent[] {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const data = field(block, 'data');
      // A comment only says that the stream lives.
      if (data === undefined) return [];
      return [{ type: field(block, 'event') ?? 'message', data: JSON.parse(data) }];
    });
  }
}

function field(block: string, name: string): string | undefined {
  const line = block.split('\n').find((one) => one.startsWith(`${name}: `));
  return line?.slice(name.length + 2);
}
