import type { CallEvent, Transport } from '../contract/transport.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';
import type { ObserverGroup } from './observer-group.js';

/** The transport as its call uses it: it contains exceptions and notifies the call's observers. */
export class ObservedTransport implements Transport {
  readonly #transport: Transport;
  readonly #boundary: FaultBoundary;
  readonly #observer: Pick<ObserverGroup, 'output'> | undefined;

  /** @param observer - notified of each operation before the transport carries it out */
  constructor(
    transport: Transport,
    boundary: FaultBoundary,
    observer?: Pick<ObserverGroup, 'output'>,
  ) {
    this.#transport = transport;
    this.#boundary = boundary;
    this.#observer = observer;
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
    return this.#transport.canPause ?? true;
  }

  get callerDelayMs(): number {
    return this.#transport.callerDelayMs ?? 0;
  }

  audio(samples: Float32Array): void {
    this.#observer?.output({ type: 'audio', samples });
    this.#boundary.run(() => this.#transport.audio(samples));
  }

  pause(): void {
    this.#observer?.output({ type: 'pause' });
    this.#boundary.run(() => this.#transport.pause());
  }

  resumeFrom(fromMs: number): void {
    this.#observer?.output({ type: 'resume', fromMs });
    this.#boundary.run(() => this.#transport.resumeFrom(fromMs));
  }

  clear(): void {
    this.#observer?.output({ type: 'clear' });
    this.#boundary.run(() => this.#transport.clear());
  }

  send(event: CallEvent): void {
    this.#observer?.output({ type: 'send', event });
    this.#boundary.run(() => this.#transport.send(event));
  }

  close(): void {
    this.#observer?.output({ type: 'close' });
    this.#boundary.run(() => this.#transport.close());
  }
}
