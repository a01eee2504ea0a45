import type { Clock, Timer } from '../../agents-runtime/contract/clock.js';
import { CALLER_SAMPLE_RATE, float32Of } from '../../media/audio/pcm.js';
import { Resampler } from '../../media/audio/resampler.js';
import type { EncoderThread } from '../../media/codec/encoder-thread.js';
import { LegQueue } from './leg-queue.js';

/** What those who listen in are sent: 24 kHz, mono, 48 kbit/s. */
const FORMAT = 'mp3_24000_48';
export const SOUND_TYPE = 'audio/mpeg';
const BLOCK_MS = 100;
/** Blocks that wait for the encoder; when it is so far behind, sound is left out. */
const MOST_WAITING = 20;

/** Somebody who listens in to a call. */
export interface Listener {
  /** Never waits. */
  sound(bytes: Uint8Array): void;
  /** The call is over. */
  over(): void;
}

/** What makes sound of a call into bytes. */
export type SoundEncoders = Pick<EncoderThread, 'open'>;

/**
 * Both legs of a call as one sound. While nobody listens it is off, and what passes costs a look; else
 * the calls' own thread copies and adds samples, and encoding is done on another one, behind all calls.
 */
export class CallSound {
  readonly #agentRate: number;
  readonly #clock: Clock;
  #mix: Mix | undefined;
  #isOver = false;

  constructor(agentRate: number, clock: Clock) {
    this.#agentRate = agentRate;
    this.#clock = clock;
  }

  /** @returns how to stop listening. */
  listen(encoders: SoundEncoders, listener: Listener): () => void {
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

  /** 16 bit, 16 kHz. */
  caller(samples: Int16Array): void {
    this.#mix?.pushCaller(samples);
  }

  /** Audio that the client plays now, 16 bit at the agent's sample rate. */
  agent(samples: Int16Array): void {
    this.#mix?.pushAgent(samples);
  }

  /** The call is over. */
  close(): void {
    this.#isOver = true;
    const mix = this.#mix;
    this.#mix = undefined;
    void mix?.finish();
  }
}

/** The legs put together and encoded by the clock, for as long as somebody listens. */
class Mix {
  readonly listeners = new Set<Listener>();
  readonly #agent: LegQueue;
  readonly #caller: LegQueue;
  readonly #resampler: Resampler;
  readonly #clock: Clock;
  readonly #rate: number;
  readonly #stream: ReturnType<SoundEncoders['open']>;
  readonly #work = new AbortController();
  #encoding: Promise<void> = Promise.resolve();
  #waiting = 0;
  #timer: Timer | undefined;
  #nextAt: number;

  constructor(rate: number, clock: Clock, encoders: SoundEncoders) {
    this.#rate = rate;
    this.#clock = clock;
    this.#agent = new LegQueue(rate);
    this.#caller = new LegQueue(rate);
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
      this.#stream.cancel(); // the encoder's thread has died: the sound ends a little earlier
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
    if (this.#waiting >= MOST_WAITING) return;
    this.#waiting++;
    this.#encoding = this.#encoding
      .then(() => this.#stream.push(block, this.#options))
      .then((bytes) => {
        if (bytes.length > 0) for (const listener of this.listeners) listener.sound(bytes);
      })
      .catch(() => {
        // Nobody listens any more, or the encoder's thread has died: who listens is sent away.
        for (const listener of [...this.listeners]) listener.over();
      })
      .finally(() => {
        this.#waiting--;
      });
  }
}
