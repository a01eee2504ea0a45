import type { CallInput, SayRefusal } from '../../../agents-runtime/call/transport.js';
import { ROOM_RATE } from '../../../agents-runtime/transports/livekit/messages.js';
import type { RoomWire } from '../../../agents-runtime/transports/livekit/rooms.js';
import { toFloat32 } from '../../../media/pcm.js';
import { Resampler } from '../../../media/resample/resampler.js';

const CALLER_RATE = 16_000;
const LOUD = 2_000;
/** Goes on a little after the tone, so that it comes back whole. */
const TAIL_MS = 40;

/** A call that says back each tone that it hears: the way of the sound without anybody who thinks. */
export class EchoCall implements CallInput {
  readonly #wire: RoomWire;
  #resampler: Resampler | undefined;
  #frame: number[] = [];
  #leftMs = 0;
  /** Why the wire ended, if it did. */
  endedBy: string | undefined;

  constructor(wire: RoomWire) {
    this.#wire = wire;
  }

  connected(): void {
    this.#leftMs = 0;
  }

  audio(samples: Int16Array): void {
    if (samples.some((sample) => Math.abs(sample) > LOUD)) this.#leftMs = TAIL_MS;
    if (this.#leftMs > 0) this.#say(samples);
    this.#leftMs -= (samples.length * 1000) / CALLER_RATE;
    if (this.#leftMs <= 0) this.#finish();
  }

  typed(): void {
    this.#leftMs = 0;
  }

  say(): SayRefusal | undefined {
    return undefined;
  }

  played(): void {
    this.endedBy = undefined;
  }

  lost(): void {
    this.endedBy = 'lost';
  }

  regained(receivedMs: number, announce: (fromMs: number) => void): void {
    announce(receivedMs);
  }

  hangUp(reason: string): void {
    this.endedBy = reason;
  }

  #say(samples: Int16Array): void {
    const floats = new Float32Array(samples.length);
    toFloat32(samples, floats);
    this.#resampler ??= new Resampler(CALLER_RATE, ROOM_RATE);
    this.#resampler.push(floats, (part) => this.#send(part));
  }

  #finish(): void {
    this.#resampler?.flush((part) => this.#send(part));
    this.#resampler = undefined;
    this.#frame = [];
  }

  /** Whole frames of 20 ms. */
  #send(part: Float32Array): void {
    this.#frame.push(...part);
    const length = ROOM_RATE / 50;
    while (this.#frame.length >= length) {
      this.#wire.audio(Float32Array.from(this.#frame.splice(0, length)));
    }
  }
}
