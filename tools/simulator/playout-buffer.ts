/** A queued item: audio, or a mark. */
type Item =
  | { readonly type: 'audio'; readonly pcm: Int16Array; read: number }
  | { readonly type: 'mark'; readonly name: string };

export interface PlayoutBufferOptions {
  /** Samples per frame. */
  readonly frameLength: number;
  /** Delay of audio after silence, in frames: a jitter buffer. */
  readonly holdFrames?: number;
  /** Called when the audio before the mark has been played or cleared. */
  readonly onMark?: (name: string, isCleared: boolean) => void;
}

/**
 * A carrier's playout buffer: plays audio in order and in real time, reports a mark when the audio before
 * it has been played. `clear` empties it and reports all its marks.
 */
export class PlayoutBuffer {
  readonly #frameLength: number;
  readonly #holdFrames: number;
  readonly #onMark: (name: string, isCleared: boolean) => void;
  #items: Item[] = [];
  #waiting = 0;
  #isPlaying = false;
  /** Frames until the queued audio may be played. */
  #hold: number;

  constructor({ frameLength, holdFrames = 0, onMark = () => undefined }: PlayoutBufferOptions) {
    this.#frameLength = frameLength;
    this.#holdFrames = holdFrames;
    this.#onMark = onMark;
    this.#hold = holdFrames;
  }

  /** Samples that have not begun to play. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Takes ownership of `pcm`. */
  push(pcm: Int16Array): void {
    this.#items.push({ type: 'audio', pcm, read: 0 });
    this.#waiting += pcm.length;
  }

  mark(name: string): void {
    if (this.#items.length === 0 && !this.#isPlaying) this.#onMark(name, false);
    else this.#items.push({ type: 'mark', name });
  }

  /** @returns the samples that were dropped. */
  clear(): number {
    const dropped = this.#waiting;
    const items = this.#items;
    this.#items = [];
    this.#waiting = 0;
    this.#hold = this.#holdFrames;
    for (const item of items) if (item.type === 'mark') this.#onMark(item.name, true);
    return dropped;
  }

  /** The next frame; undefined for silence. */
  take(): Int16Array | undefined {
    this.#isPlaying = false;
    this.#passMarks();
    if (this.#waiting === 0) {
      this.#hold = this.#holdFrames;
      return undefined;
    }
    if (this.#hold-- > 0) return undefined;
    this.#isPlaying = true;
    return this.#nextFrame();
  }

  #nextFrame(): Int16Array {
    const frame = new Int16Array(this.#frameLength);
    let filled = 0;
    for (let item = this.#items[0]; item?.type === 'audio'; item = this.#items[0]) {
      const part = item.pcm.subarray(item.read, item.read + frame.length - filled);
      frame.set(part, filled);
      filled += part.length;
      item.read += part.length;
      if (item.read < item.pcm.length) break;
      this.#items.shift();
      // A mark in the middle of a frame waits for the frame's end.
    }
    this.#waiting -= filled;
    return frame;
  }

  #passMarks(): void {
    for (let item = this.#items[0]; item?.type === 'mark'; item = this.#items[0]) {
      this.#items.shift();
      this.#onMark(item.name, false);
    }
  }
}
