import { energyOf, toFloat32 } from '../../media/audio/pcm.js';

/** What was played so long ago may still come back. Source: conversation design, barge-in. */
const MEMORY_MS = 500;
/** What was played is kept a little longer, as audio may be waiting to be looked at. */
const KEPT_MS = 3_000;
/** The loudest echo of a telephone line, below what was played, dB. Source: conversation design, barge-in. */
const LOUDEST_ECHO_DB = -15;
/** Room for the line's noise, and for windows that lie askew. */
const MARGIN_DB = 4;
const ECHO_SHARE = 10 ** ((LOUDEST_ECHO_DB + MARGIN_DB) / 10);
/** Speech goes on below the floor for so long: between its loud syllables are quiet ones. */
const OPEN_WINDOWS = 10;
/** Below −70 dB of full scale nothing that was played comes back as speech. */
const SILENCE = 1e-7;

interface Played {
  readonly atMs: number;
  readonly power: number;
}

interface Heard {
  readonly isOverFloor: boolean;
  readonly hasFloor: boolean;
}

/**
 * Tells the caller's speech from the echo of our own, on a wire that has no echo canceller: what comes
 * in while, or just after, something was played is speech only if it is louder than its echo could be.
 * Pure: clock times are handed in, windows are weighed in the order in which they were heard.
 */
export class EchoGate {
  readonly #threshold: number;
  readonly #played: Played[] = [];
  readonly #heard: Heard[] = [];
  #openFor = 0;

  /** @param threshold speech probability from which a loud window opens the gate. */
  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  /** A frame of the agent's audio (20 ms) began to be played at this clock time. */
  played(atMs: number, samples: Int16Array): void {
    const floats = new Float32Array(samples.length);
    toFloat32(samples, floats);
    const power = powerOf(floats);
    while (this.#played.length > 0 && this.#played[0]!.atMs < atMs - KEPT_MS) this.#played.shift();
    if (power > SILENCE) this.#played.push({ atMs, power });
  }

  /** The next window of the caller's audio, spoken between these clock times. */
  heard(samples: Float32Array, fromMs: number, toMs: number): void {
    const floor = this.#floorBetween(fromMs - MEMORY_MS, toMs);
    this.#heard.push({ hasFloor: floor > 0, isOverFloor: powerOf(samples) > floor });
  }

  /** The speech probability of the oldest window that was not weighed yet: 0 if it may be an echo. */
  weigh(probability: number): number {
    const window = this.#heard.shift();
    if (!window?.hasFloor) {
      this.#openFor = 0;
      return probability;
    }
    if (window.isOverFloor && probability >= this.#threshold) this.#openFor = OPEN_WINDOWS;
    if (this.#openFor === 0) return 0;
    this.#openFor--;
    return probability;
  }

  /** The loudest echo of what was played then; 0 if nothing was. */
  #floorBetween(fromMs: number, toMs: number): number {
    let loudest = 0;
    // The newest are at the end; where the playhead was put right, not quite in order.
    for (let i = this.#played.length - 1; i >= 0; i--) {
      const { atMs, power } = this.#played[i]!;
      if (atMs < fromMs - MEMORY_MS) break;
      if (atMs >= fromMs && atMs <= toMs && power > loudest) loudest = power;
    }
    return loudest * ECHO_SHARE;
  }
}

function powerOf(samples: Float32Array): number {
  return energyOf(samples) / samples.length;
}
