import { concat } from '../../../media/audio/pcm.js';
import type { Leg } from '../../../media/recording/spool-record.js';
import type { AudioChunk } from '../../../media/recording/spool-writer.js';

type Samples = Int16Array | Float32Array;

/** One leg of a recording: sound in its places, of which the newest is waiting to be taken away. */
export class AudioTrack {
  readonly rate: number;
  readonly #leg: Leg;
  /** Sample behind the last one that was placed. */
  #end = 0;
  #pieces: { readonly at: number; readonly parts: Samples[] }[] = [];

  constructor(leg: Leg, rate: number) {
    this.#leg = leg;
    this.rate = rate;
  }

  /** Where the sound that was placed ends, ms of the recording. */
  get endMs(): number {
    return (this.#end * 1000) / this.rate;
  }

  /**
   * Puts samples, which it copies, where their first is at this time. What would lie over sound that is
   * there already is left out.
   */
  place(startMs: number, samples: Samples): void {
    const start = Math.round((startMs * this.rate) / 1000);
    const kept = samples.slice(Math.max(0, this.#end - start));
    if (kept.length === 0) return;
    const at = Math.max(this.#end, start);
    const last = this.#pieces.at(-1);
    if (last && at === this.#end) last.parts.push(kept);
    else this.#pieces.push({ at, parts: [kept] });
    this.#end = at + kept.length;
  }

  /** What was placed since it was last asked, in one array for each unbroken stretch. */
  take(): AudioChunk[] {
    const taken = this.#pieces;
    this.#pieces = [];
    return taken.map(({ at, parts }) => ({ leg: this.#leg, at, samples: joined(parts) }));
  }
}

function joined(parts: readonly Samples[]): Samples {
  const first = parts[0]!;
  if (parts.length === 1) return first;
  return concat<Samples>(first instanceof Int16Array ? Int16Array : Float32Array, parts);
}
