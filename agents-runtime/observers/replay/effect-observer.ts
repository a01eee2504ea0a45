import type { CallLog, LoggedTurn } from '../../contract/call-log.js';
import type { Clock } from '../../contract/clock.js';
import type { EndedReason } from '../../contract/ended-reason.js';
import type { CallFault } from '../../contract/errors.js';
import type { CallEvent, Transport } from '../../contract/transport.js';
import { ForwardingTransport } from './forwarding-transport.js';
import type { ObservedEffect } from './replay-format.js';

/** Agent audio after a rest as long as this begins anew: longer than what is sent ahead lasts. */
const REST_MS = 500;

/** Told of what a call does, as it does it. */
export interface EffectObserver {
  readonly clock: Clock;
  readonly tell: (happening: ObservedEffect) => void;
}

/** A wire of which is told what goes over it; audio only where it begins. */
export class EffectObservingTransport extends ForwardingTransport {
  readonly #effectObserver: EffectObserver;
  #samples = 0;
  #soundedAt = Number.NEGATIVE_INFINITY;

  constructor(wire: Transport, effectObserver: EffectObserver) {
    super(wire);
    this.#effectObserver = effectObserver;
  }

  override sendAudio(samples: Float32Array): void {
    const now = this.#effectObserver.clock.now();
    if (now - this.#soundedAt > REST_MS) {
      this.#report('audio', (this.#samples * 1000) / this.sampleRate);
    }
    this.#soundedAt = now;
    this.#samples += samples.length;
    super.sendAudio(samples);
  }

  override pause(): void {
    this.#report('pause');
    super.pause();
  }

  override resumeFrom(fromMs: number): void {
    this.#report('resume', fromMs);
    super.resumeFrom(fromMs);
  }

  override clear(): void {
    this.#report('clear');
    super.clear();
  }

  /** The wire is back and goes on from there: the client may have missed what came before. */
  announce(fromMs: number): void {
    this.#report('announce', fromMs);
  }

  override send(event: CallEvent): void {
    this.#effectObserver.tell({ t: this.#effectObserver.clock.now(), type: 'event', event });
    super.send(event);
  }

  override close(): void {
    this.#report('close');
    super.close();
  }

  #report(act: Extract<ObservedEffect, { type: 'wire' }>['act'], atMs?: number): void {
    const { clock, tell } = this.#effectObserver;
    tell({ t: clock.now(), type: 'wire', act, ...(atMs !== undefined && { atMs }) });
  }
}

/** A record of which is told what is written into it. */
export class EffectObservingLog implements CallLog {
  readonly #log: CallLog;
  readonly #effectObserver: EffectObserver;

  constructor(log: CallLog, effectObserver: EffectObserver) {
    this.#log = log;
    this.#effectObserver = effectObserver;
  }

  started(): Promise<void> {
    return this.#log.started();
  }

  turn(turn: LoggedTurn): Promise<void> {
    // What tools and searches brought is on the tape as their answers; who gave them, nobody replays.
    const { tools: _, sources: __, providers: ___, ...said } = turn;
    this.#effectObserver.tell({ t: this.#effectObserver.clock.now(), type: 'turn', turn: said });
    return this.#log.turn(turn);
  }

  ended(reason: EndedReason): Promise<void> {
    return this.#log.ended(reason);
  }
}

export function observeFaults(onFault: CallFault, { clock, tell }: EffectObserver): CallFault {
  return (part, error) => {
    tell({ t: clock.now(), type: 'fault', part });
    onFault(part, error);
  };
}
