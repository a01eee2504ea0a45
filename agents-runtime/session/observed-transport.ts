import type { CallEvent, Transport } from '../contract/transport.js';
import type { ObserverGroup } from './observer-group.js';

/** Changes of the backlog up to this size are not reported: 85 ms of audio at 24 kHz. */
const BACKLOG_STEP = 4_096;

/** A transport that notifies the observers of its call of each operation, before it is carried out. */
export class ObservedTransport implements Transport {
  readonly #transport: Transport;
  readonly #observer: Pick<ObserverGroup, 'output'>;
  #knownBacklog = 0;

  constructor(transport: Transport, observer: Pick<ObserverGroup, 'output'>) {
    this.#transport = transport;
    this.#observer = observer;
  }

  get sampleRate(): number {
    return this.#transport.sampleRate;
  }

  get hasEchoCanceller(): boolean {
    return this.#transport.hasEchoCanceller;
  }

  get backlogBytes(): number {
    const bytes = this.#transport.backlogBytes;
    const isEmptied = bytes === 0 && this.#knownBacklog > 0;
    if (isEmptied || Math.abs(bytes - this.#knownBacklog) > BACKLOG_STEP) {
      this.#knownBacklog = bytes;
      this.#observer.output({ type: 'backlog', bytes });
    }
    return bytes;
  }

  get canPause(): boolean {
    return this.#transport.canPause;
  }

  get callerDelayMs(): number {
    return this.#transport.callerDelayMs;
  }

  sendAudio(samples: Float32Array): void {
    this.#observer.output({ type: 'audio', samples });
    this.#transport.sendAudio(samples);
  }

  pause(): void {
    this.#observer.output({ type: 'pause' });
    this.#transport.pause();
  }

  resumeFrom(fromMs: number): void {
    this.#observer.output({ type: 'resume', fromMs });
    this.#transport.resumeFrom(fromMs);
  }

  clear(): void {
    this.#observer.output({ type: 'clear' });
    this.#transport.clear();
  }

  send(event: CallEvent): void {
    this.#observer.output({ type: 'send', event });
    this.#transport.send(event);
  }

  close(): void {
    this.#observer.output({ type: 'close' });
    this.#transport.close();
  }
}
