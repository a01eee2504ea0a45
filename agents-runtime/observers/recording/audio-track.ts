import { concat } from '../../../media/audio/pcm.js';
import type { Leg } from '../../../media/recording/spool-record.js';
import type { AudioChunk } from '../../../media/recording/spool-writer.js';

type Samples = Int16Array | Float32Array;

/** One leg of a recording: audio at its time, and the chunks that were not taken yet. */
export class AudioTrack {
  readonly rate: number;
  readonly #leg: Leg;
  /** Index of the sample after the last one placed. */
  #end = 0;
  #chunks: { readonly at: number; readonly parts: Samples[] }[] = [];

  constructor(leg: Leg, rate: number) {
    this.#leg = leg;
    this.rate = rate;
  }

  /** End of the placed audio, ms of recording time. */
  get endMs(): number {
    return (this.#end * 1000) / this.rate;
  }

  /**
   * Places samples, which it copies, from this time on. Samples before the end of the placed audio are
   * dropped.
   */
  place(startMs: number, samples: Samples): void {
    const start = Math.round((startMs * this.rate) / 1000);
    const kept = samples.slice(Math.max(0, this.#end - start));
    if (kept.length === 0) return;
    const at = Math.max(this.#end, start);
    const last = this.#chunks.at(-1);
    if (last && at === this.#end) last.parts.push(kept);
    else this.#chunks.push({ at, parts: [kept] });
    this.#end = at + kept.length;
  }

  /** Removes and returns the audio placed since the last call, one chunk for each contiguous part. */
  take(): AudioChunk[] {
    const taken = this.#chunks;
    this.#chunks = [];
    return taken.map(({ at, parts }) => ({ leg: this.#leg, at, samples: joined(parts) }));
  }
}

function joined(parts: readonly Samples[]): Samples {
  const first = parts[0]!;
  if (parts.length === 1) return first;
  return concat<Samples>(first instanceof Int16Array ? Int16Array : Float32Array, parts);
}
