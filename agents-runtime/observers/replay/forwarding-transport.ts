import type { CallEvent, Transport } from '../../contract/transport.js';

/**
 * Forwards every property and method to another transport. Subclasses override only the methods that they
 * observe or change.
 */
export abstract class ForwardingTransport implements Transport {
  readonly #transport: Transport;

  constructor(wire: Transport) {
    this.#transport = wire;
  }

  get sampleRate(): number {
    return this.#transport.sampleRate;
  }

  get hasEchoCanceller(): boolean {
    return this.#transport.hasEchoCanceller;
  }

  get backlogBytes(): number {
    return this.#transport.backlogBytes;
  }

  get canPause(): boolean {
    return this.#transport.canPause;
  }

  get callerDelayMs(): number {
    return this.#transport.callerDelayMs;
  }

  sendAudio(samples: Float32Array): void {
    this.#transport.sendAudio(samples);
  }

  pause(): void {
    this.#transport.pause();
  }

  resumeFrom(fromMs: number): void {
    this.#transport.resumeFrom(fromMs);
  }

  clear(): void {
    this.#transport.clear();
  }

  send(event: CallEvent): void {
    this.#transport.send(event);
  }

  close(): void {
    this.#transport.close();
  }
}
