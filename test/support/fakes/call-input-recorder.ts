import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import type { CallInput, SayRefusal } from '../../../agents-runtime/contract/transport.js';

const RATE = 16_000;

/** Call input that records everything the transport delivers. */
export class CallInputRecorder implements CallInput {
  readonly texts: string[] = [];
  readonly playedMs: number[] = [];
  readonly losses: (number | undefined)[] = [];
  readonly gains: number[] = [];
  readonly reasons: EndedReason[] = [];
  /** The frequency of each 20 ms frame that is not silent, in Hz. */
  readonly tones: number[] = [];
  samples = 0;
  isConnected = false;

  connected(): void {
    this.isConnected = true;
  }

  audio(samples: Int16Array): void {
    this.samples += samples.length;
    for (let at = 0; at + 320 <= samples.length; at += 320)
      this.#measureTone(samples.subarray(at, at + 320));
  }

  typed(text: string): void {
    this.texts.push(text);
  }

  say(): SayRefusal | undefined {
    return undefined;
  }

  played(playedMs: number): void {
    this.playedMs.push(playedMs);
  }

  lost(forMs?: number): void {
    this.losses.push(forMs);
  }

  regained(receivedMs: number, announce: (fromMs: number) => void): void {
    this.gains.push(receivedMs);
    announce(receivedMs);
  }

  hangUp(reason: EndedReason): void {
    this.reasons.push(reason);
  }

  /** Whether at least `frames` of the last `2 * frames` audible frames are within 75 Hz of `hz`. */
  hasTone(hz: number, frames = 10): boolean {
    const near = this.tones.slice(-2 * frames).filter((tone) => Math.abs(tone - hz) <= 75);
    return near.length >= frames;
  }

  #measureTone(frame: Int16Array): void {
    let crossings = 0;
    let peak = 0;
    for (let i = 1; i < frame.length; i++) {
      peak = Math.max(peak, Math.abs(frame[i]!));
      if (frame[i - 1]! < 0 !== frame[i]! < 0) crossings++;
    }
    if (peak > 2_000) this.tones.push((crossings * RATE) / 2 / frame.length);
  }
}
