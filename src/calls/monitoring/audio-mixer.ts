import type { Clock, Timer } from '../../../agents-runtime/contract/clock.js';
import { CALLER_SAMPLE_RATE, float32Of } from '../../../media/audio/pcm.js';
import { Resampler } from '../../../media/audio/resampler.js';
import type { EncoderThread } from '../../../media/codec/encoder-thread.js';
import { JitterBuffer } from './jitter-buffer.js';

/** Format of the mixed audio: 24 kHz, mono, 48 kbit/s. */
const FORMAT = 'mp3_24000_48';
export const AUDIO_TYPE = 'audio/mpeg';
const BLOCK_MS = 100;
/** Maximum number of blocks that wait for the encoder. Further blocks are dropped. */
const MAX_WAITING = 20;

/** Receives the audio of a call. */
export interface Listener {
  /** Called with each block of MP3. Must not block. */
  sound(bytes: Uint8Array): void;
  /** Called once, when the call is over. */
  over(): void;
}

/** Port of the encoder. */
export type AudioEncoders = Pick<EncoderThread, 'open'>;

/**
 * Mixes both legs of a call for listeners. Does nothing without a listener. The main thread copies and
 * adds samples; a background thread encodes them.
 */
export class AudioMixer {
  readonly #agentRate: number;
  readonly #clock: Clock;
  #mix: Mix | undefined;
  #isOver = false;

  constructor(agentRate: number, clock: Clock) {
    this.#agentRate = agentRate;
    this.#clock = clock;
  }

  /** @returns a function that stops listening */
  listen(encoders: AudioEncoders, listener: Listener): () => void {
    if (this.#isOver) {
      listener.over();
      return () => undefined;
    }
    this.#mix ??= new Mix(this.#agentRate, this.#clock, encoders);
    const mix = this.#mix;
    mix.listeners.add(listener);
    return () => {
      mix.listeners.delete(listener);
      if (mix.listeners.size > 0 || this.#mix !== mix) return;
      this.#mix = undefined;
      mix.close();
    };
  }

  /** Adds audio of the caller, 16 bit, 16 kHz. */
  caller(samples: Int16Array): void {
    this.#mix?.pushCaller(samples);
  }

  /** Adds audio that the client plays now, 16 bit at the agent's sample rate. */
  agent(samples: Int16Array): void {
    this.#mix?.pushAgent(samples);
  }

  /** Ends the audio, because the call is over. */
  close(): void {
    this.#isOver = true;
    const mix = this.#mix;
    this.#mix = undefined;
    void mix?.finish();
  }
}

/** Mixes and encodes one block every 100 ms while there is a listener. */
class Mix {
  readonly listeners = new Set<Listener>();
  readonly #agent: JitterBuffer;
  readonly #caller: JitterBuffer;
  readonly #resampler: Resampler;
  readonly #clock: Clock;
  readonly #rate: number;
  readonly #stream: ReturnType<AudioEncoders['open']>;
  readonly #work = new AbortController();
  #encoding: Promise<void> = Promise.resolve();
  #waiting = 0;
  #timer: Timer | undefined;
  #nextAt: number;

  constructor(rate: number, clock: Clock, encoders: AudioEncoders) {
    this.#rate = rate;
    this.#clock = clock;
    this.#agent = new JitterBuffer(rate);
    this.#caller = new JitterBuffer(rate);
    this.#resampler = new Resampler(CALLER_SAMPLE_RATE, rate);
    this.#stream = encoders.open({ format: FORMAT, inputRate: rate });
    this.#nextAt = clock.now();
    this.#schedule();
  }

  pushCaller(samples: Int16Array): void {
    this.#resampler.push(float32Of(samples), (part) => this.#caller.push(part.slice()));
  }

  pushAgent(samples: Int16Array): void {
    this.#agent.push(float32Of(samples));
  }

  close(): void {
    this.#timer?.cancel();
    this.#work.abort();
    this.#stream.cancel();
  }

  async finish(): Promise<void> {
    this.#timer?.cancel();
    await this.#encoding;
    try {
      const rest = await this.#stream.finish(this.#options);
      for (const listener of this.listeners) listener.sound(rest);
    } catch {
      this.#stream.cancel(); // The thread of the encoder has died, so the audio ends a little earlier.
    }
    for (const listener of [...this.listeners]) listener.over();
  }

  get #options() {
    return { priority: 'background', signal: this.#work.signal } as const;
  }

  #schedule(): void {
    this.#nextAt += BLOCK_MS;
    this.#timer = this.#clock.after(Math.max(0, this.#nextAt - this.#clock.now()), () => {
      this.#schedule();
      this.#step();
    });
  }

  #step(): void {
    const block = new Float32Array((this.#rate * BLOCK_MS) / 1000);
    this.#agent.addTo(block);
    this.#caller.addTo(block);
    if (this.#waiting >= MAX_WAITING) return;
    this.#waiting++;
    this.#encoding = this.#encoding
      .then(() => this.#stream.push(block, this.#options))
      .then((bytes) => {
        if (bytes.length > 0) for (const listener of this.listeners) listener.sound(bytes);
      })
      .catch(() => {
        // The last listener has left, or the thread of the encoder has died.
        for (const listener of [...this.listeners]) listener.over();
      })
      .finally(() => {
        this.#waiting--;
      });
  }
}
