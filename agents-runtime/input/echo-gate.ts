import { energyOf, toFloat32 } from '../../media/audio/pcm.js';

/** Longest delay of an echo, ms. */
const MAX_ECHO_DELAY_MS = 500;
/** Played frames stay in memory for this long, as voice activity results arrive late, ms. */
const MEMORY_MS = 3_000;
/** Level of the loudest echo of a telephone line, relative to the played audio, dB. */
const LOUDEST_ECHO_DB = -15;
/** Margin for noise, and for windows that are not aligned with played frames, dB. */
const MARGIN_DB = 4;
const ECHO_SHARE = 10 ** ((LOUDEST_ECHO_DB + MARGIN_DB) / 10);
/** The gate stays open for this many windows after a loud one, as speech has quiet syllables. */
const OPEN_WINDOWS = 10;
/** Played audio below this power (−70 dB of full scale) has no echo that counts as speech. */
const SILENCE = 1e-7;

interface PlayedFrame {
  /** Clock time at which it started to play. */
  readonly startAt: number;
  readonly power: number;
}

interface CallerWindow {
  readonly isLouderThanEcho: boolean;
  readonly mayBeEcho: boolean;
}

/**
 * Separates the caller's speech from the echo of the agent, for transports without an echo canceller:
 * audio during or shortly after playout is speech only if it is louder than the echo could be. Pure: the
 * caller passes clock times, and `gate` takes the windows in the order of `received`.
 */
export class EchoGate {
  readonly #threshold: number;
  readonly #played: PlayedFrame[] = [];
  readonly #windows: CallerWindow[] = [];
  #openFor = 0;

  /** @param threshold - speech probability from which a loud window opens the gate */
  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  /** A frame of the agent's audio (20 ms) started to play at this clock time. */
  played(startAt: number, samples: Int16Array): void {
    const floats = new Float32Array(samples.length);
    toFloat32(samples, floats);
    const power = powerOf(floats);
    while (this.#played.length > 0 && this.#played[0]!.startAt < startAt - MEMORY_MS)
      this.#played.shift();
    if (power > SILENCE) this.#played.push({ startAt, power });
  }

  /** The next window of the caller's audio, spoken between these clock times. */
  received(samples: Float32Array, fromAt: number, toAt: number): void {
    const echo = this.#loudestEcho(fromAt - MAX_ECHO_DELAY_MS, toAt);
    this.#windows.push({ mayBeEcho: echo > 0, isLouderThanEcho: powerOf(samples) > echo });
  }

  /** The speech probability of the next window: 0 if it may be an echo. */
  gate(probability: number): number {
    const window = this.#windows.shift();
    if (!window?.mayBeEcho) {
      this.#openFor = 0;
      return probability;
    }
    if (window.isLouderThanEcho && probability >= this.#threshold) this.#openFor = OPEN_WINDOWS;
    if (this.#openFor === 0) return 0;
    this.#openFor--;
    return probability;
  }

  /** Power of the loudest possible echo of the audio played between these times; 0 without any. */
  #loudestEcho(fromAt: number, toAt: number): number {
    let loudest = 0;
    // The newest frames are last, except for a few after a correction of the playhead.
    for (let i = this.#played.length - 1; i >= 0; i--) {
      const { startAt, power } = this.#played[i]!;
      if (startAt < fromAt - MAX_ECHO_DELAY_MS) break;
      if (startAt >= fromAt && startAt <= toAt && power > loudest) loudest = power;
    }
    return loudest * ECHO_SHARE;
  }
}

function powerOf(samples: Float32Array): number {
  return energyOf(samples) / samples.length;
}
