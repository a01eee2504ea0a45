import type { CallEvent, CallTransport } from './transport.js';

/**
 * A wire that hands everything on to another one, what it says of itself included. Whoever stands
 * between a call and its wire overrides what it is there for: no part of a wire is lost on the way.
 */
export abstract class WrappedTransport implements CallTransport {
  readonly #wire: CallTransport;

  constructor(wire: CallTransport) {
    this.#wire = wire;
  }

  get sampleRate(): number {
    return this.#wire.sampleRate;
  }

  get hasEchoCanceller(): boolean {
    return this.#wire.hasEchoCanceller;
  }

  get backlogBytes(): number {
    return this.#wire.backlogBytes;
  }

  get canPause(): boolean {
    return this.#wire.canPause ?? true;
  }

  get callerDelayMs(): number {
    return this.#wire.callerDelayMs ?? 0;
  }

  audio(samples: Float32Array): void {
    this.#wire.audio(samples);
  }

  pause(): void {
    this.#wire.pause();
  }

  resumeFrom(fromMs: number): void {
    this.#wire.resumeFrom(fromMs);
  }

  clear(): void {
    this.#wire.clear();
  }

  send(event: CallEvent): void {
    this.#wire.send(event);
  }

  close(): void {
    this.#wire.close();
  }
}
