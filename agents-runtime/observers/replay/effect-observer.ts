import type { LoggedTurn } from '../../contract/call-log.js';
import type { CallObserver, TransportEvent } from '../../contract/call-observer.js';
import type { CallPart } from '../../contract/errors.js';
import type { TurnEvent } from '../../contract/turn-events.js';
import type { ObservedEffect, TransportAction, TurnEventLine } from './replay-format.js';

/** Observes the effects of a call that a replay compares, and its turn events. */
export class EffectObserver implements CallObserver {
  readonly #sampleRate: number;
  readonly #emit: (line: ObservedEffect | TurnEventLine) => void;
  #samples = 0;
  /** Only the first audio of each reply is reported: the pauses within a reply depend on the machine's load. */
  #isAudioReported = false;

  /** @param sampleRate - Hz of the agent's audio */
  constructor(sampleRate: number, emit: (line: ObservedEffect | TurnEventLine) => void) {
    this.#sampleRate = sampleRate;
    this.#emit = emit;
  }

  output(event: TransportEvent, atMs: number): void {
    switch (event.type) {
      case 'audio':
        this.#audio(event.samples.length, atMs);
        return;
      case 'send':
        if (event.event.type === 'state' && event.event.state !== 'speaking') {
          this.#isAudioReported = false;
        }
        this.#emit({ t: fileMs(atMs), type: 'event', event: event.event });
        return;
      case 'resume':
      case 'announce':
        this.#action(event.type, atMs, event.fromMs);
        return;
      case 'clear':
        this.#isAudioReported = false;
        this.#action(event.type, atMs);
        return;
      case 'pause':
      case 'close':
        this.#action(event.type, atMs);
    }
  }

  turnEvent(event: TurnEvent, atMs: number): void {
    this.#emit({ t: fileMs(atMs), type: 'turn-event', event });
  }

  /** The results of tools and searches are in the file as responses; a replay has other providers. */
  logged({ tools: _, sources: __, providers: ___, ...turn }: LoggedTurn, atMs: number): void {
    this.#emit({ t: fileMs(atMs), type: 'turn', turn });
  }

  fault(part: CallPart, _error: unknown, atMs: number): void {
    // A replay has other observers.
    if (part !== 'observer') this.#emit({ t: fileMs(atMs), type: 'fault', part });
  }

  #audio(length: number, atMs: number): void {
    if (!this.#isAudioReported) {
      this.#action('audio', atMs, (this.#samples * 1000) / this.#sampleRate);
    }
    this.#isAudioReported = true;
    this.#samples += length;
  }

  #action(action: TransportAction, atMs: number, positionMs?: number): void {
    const position = positionMs === undefined ? {} : { positionMs };
    this.#emit({ t: fileMs(atMs), type: 'transport', action, ...position });
  }
}

/** Call time in a file: thousandths of a ms. */
export function fileMs(ms: number): number {
  return Math.max(0, Math.round(ms * 1000) / 1000);
}
