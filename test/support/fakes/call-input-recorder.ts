import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import type { CallInput, SayRefusal } from '../../../agents-runtime/contract/transport.js';

const RATE = 16_000;

/** A call that only listens, and remembers what its wire brought. */
export class RoomEar implements CallInput {
  readonly texts: string[] = [];
  readonly playedMs: number[] = [];
  readonly losses: (number | undefined)[] = [];
  readonly gains: number[] = [];
  readonly reasons: EndedReason[] = [];
  /** The frequency of each 20 ms that was no silence. */
  readonly tones: number[] = [];
  samples = 0;
  isConnected = false;

  connected(): void {
    this.isConnected = true;
  }

  audio(samples: Int16Array): void {
    this.samples += samples.length;
    for (let at = 0; at + 320 <= samples.length; at += 320)
      this.#hear(samples.subarray(at, at + 320));
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

  /** Whether so many of the last 20 ms were at this frequency, roughly. */
  hasTone(hz: number, frames = 10): boolean {
    const near = this.tones.slice(-2 * frames).filter((heard) => Math.abs(heard - hz) <= 75);
    return near.length >= frames;
  }

  #hear(frame: Int16Array): void {
    let crossings = 0;
    let peak = 0;
    for (let i = 1; i < frame.length; i++) {
      peak = Math.max(peak, Math.abs(frame[i]!));
      if (frame[i - 1]! < 0 !== frame[i]! < 0) crossings++;
    }
    if (peak > 2_000) this.tones.push((crossings * RATE) / 2 / frame.length);
  }
}
