import type { CallInput, SayRefusal } from '../../../agents-runtime/contract/transport.js';
import { Playout } from '../../../agents-runtime/output/playout.js';
import type { SpokenChunk } from '../../../agents-runtime/output/spoken-text-alignment.js';
import { FrameTicker } from '../../../agents-runtime/timing/frame-ticker.js';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import { ROOM_RATE } from '../../../agents-runtime/transports/livekit/ipc-messages.js';
import type { RoomTransport } from '../../../agents-runtime/transports/livekit/room-transport.js';
import { CALLER_SAMPLE_RATE } from '../../../media/audio/pcm.js';
import { rethrowing } from '../../support/harness/call/rethrowing-boundary.js';

const LOUD = 2_000;
/** The echo continues after the tone, so that the tone returns completely. */
const TAIL_MS = 40;
const ignore = () => undefined;
const IGNORE = {
  started: ignore,
  stalled: ignore,
  text: ignore,
  audible: ignore,
  finished: ignore,
};
/** Room samples per caller sample. */
const TIMES = ROOM_RATE / CALLER_SAMPLE_RATE;

/** A call that echoes each tone through the gateway's playout: the audio path without an LLM. */
export class EchoCall implements CallInput {
  readonly #playout: Playout;
  #echo: Echo | undefined;
  #leftMs = 0;
  /** The reason if the transport ended. */
  endedBy: string | undefined;

  constructor(transport: RoomTransport) {
    const parts = {
      transport,
      clock: systemClock,
      ticker: new FrameTicker(systemClock),
      boundary: rethrowing,
    };
    this.#playout = new Playout(parts);
  }

  connected(): void {
    this.#leftMs = 0;
  }

  audio(samples: Int16Array): void {
    if (samples.some((sample) => Math.abs(sample) > LOUD)) this.#leftMs = TAIL_MS;
    if (this.#leftMs > 0) this.#say(samples);
    this.#leftMs -= (samples.length * 1000) / CALLER_SAMPLE_RATE;
    if (this.#leftMs > 0) return;
    this.#echo?.end();
    this.#echo = undefined;
  }

  typed(): void {
    this.#leftMs = 0;
  }

  say(): SayRefusal | undefined {
    return undefined;
  }

  played(playedMs: number): void {
    this.#playout.played(playedMs);
  }

  lost(): void {
    this.endedBy = 'lost';
  }

  regained(receivedMs: number, announce: (fromMs: number) => void): void {
    this.#playout.connectionRegained(receivedMs, announce);
  }

  hangUp(reason: string): void {
    this.endedBy = reason;
    this.#playout.close();
  }

  #say(samples: Int16Array): void {
    if (!this.#echo) {
      this.#echo = new Echo();
      this.#playout.release(this.#playout.buffer(this.#echo.chunks(), IGNORE));
    }
    this.#echo.push(samples);
  }
}

/** A tone to echo, like the output of a voice. */
class Echo {
  readonly #waiting: Float32Array[] = [];
  #isOver = false;
  #wake: () => void = () => undefined;

  /**
   * Repeats each sample three times. A resampler would add latency by waiting for later samples,
   * which a voice, synthesising ahead, does not.
   */
  push(samples: Int16Array): void {
    this.#waiting.push(
      Float32Array.from(
        { length: samples.length * TIMES },
        (_, i) => samples[Math.floor(i / TIMES)]! / 32_768,
      ),
    );
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *chunks(): AsyncGenerator<SpokenChunk> {
    for (;;) {
      for (const samples of this.#waiting.splice(0)) yield { text: '', words: [], samples };
      if (this.#waiting.length > 0) continue;
      if (this.#isOver) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
