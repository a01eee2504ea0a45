// The path is the same in `dist` and in the browser, where `..` stops at `/`.
import { Resampler } from '../../../media/audio/resampler.js';

/** Frames of the call socket: 20 ms at 16 kHz. */
const UPSTREAM_RATE = 16_000;
const FRAME_LENGTH = 320;

/** Converts microphone samples to frames of the call socket. */
export class MicrophoneFrames {
  readonly #resampler: Resampler;
  readonly #send: (frame: Int16Array<ArrayBuffer>) => void;
  #frame = new Int16Array(FRAME_LENGTH);
  #filled = 0;

  /**
   * @param send takes ownership of each frame
   * @throws MediaError INVALID_INPUT for an unsupported sample rate (Hz)
   */
  constructor(deviceRate: number, send: (frame: Int16Array<ArrayBuffer>) => void) {
    this.#resampler = new Resampler(deviceRate, UPSTREAM_RATE);
    this.#send = send;
  }

  /** @param samples −1…1, at the device's rate */
  push(samples: Float32Array): void {
    this.#resampler.push(samples, (resampled) => {
      for (const sample of resampled) this.#add(sample);
    });
  }

  #add(sample: number): void {
    this.#frame[this.#filled++] = Math.max(-32768, Math.min(32767, Math.round(sample * 32768)));
    if (this.#filled < FRAME_LENGTH) return;
    const frame = this.#frame;
    this.#frame = new Int16Array(FRAME_LENGTH);
    this.#filled = 0;
    this.#send(frame);
  }
}
