import type { CallLog, EndedReason, LoggedTurn } from '../call/call-log.js';
import type { CallFault } from '../call/call-parts.js';
import type { CallEvent, CallTransport } from '../call/transport.js';
import type { Clock } from '../clock.js';
import type { Happening } from './tape.js';

/** Agent audio after a rest as long as this begins anew: longer than what is sent ahead lasts. */
const REST_MS = 500;

/** Told of what a call does, as it does it. */
export interface Witness {
  readonly clock: Clock;
  readonly tell: (happening: Happening) => void;
}

/** A wire of which is told what goes over it; audio only where it begins. */
export class WitnessedTransport implements CallTransport {
  readonly #wire: CallTransport;
  readonly #witness: Witness;
  #samples = 0;
  #soundedAt = Number.NEGATIVE_INFINITY;

  constructor(wire: CallTransport, witness: Witness) {
    this.#wire = wire;
    this.#witness = witness;
  }

  get sampleRate(): number {
    return this.#wire.sampleRate;
  }

  get hasEchoCanceller(): boolean {
    return this.#wire.hasEchoCanceller;
  }

  get canPause(): boolean {
    return this.#wire.canPause !== false;
  }

  get backlogBytes(): number {
    return this.#wire.backlogBytes;
  }

  audio(samples: Float32Array): void {
    const now = this.#witness.clock.now();
    if (now - this.#soundedAt > REST_MS) {
      this.#tell('audio', (this.#samples * 1000) / this.sampleRate);
    }
    this.#soundedAt = now;
    this.#samples += samples.length;
    this.#wire.audio(samples);
  }

  pause(): void {
    this.#tell('pause');
    this.#wire.pause();
  }

  resumeFrom(fromMs: number): void {
    this.#tell('resume', fromMs);
    this.#wire.resumeFrom(fromMs);
  }

  clear(): void {
    this.#tell('clear');
    this.#wire.clear();
  }

  /** The wire is back and goes on from there: the client may have missed what came before. */
  announce(fromMs: number): void {
    this.#tell('announce', fromMs);
  }

  send(event: CallEvent): void {
    this.#witness.tell({ t: this.#witness.clock.now(), type: 'event', event });
    this.#wire.send(event);
  }

  close(): void {
    this.#tell('close');
    this.#wire.close();
  }

  #tell(act: Extract<Happening, { type: 'wire' }>['act'], atMs?: number): void {
    const { clock, tell } = this.#witness;
    tell({ t: clock.now(), type: 'wire', act, ...(atMs !== undefined && { atMs }) });
  }
}

/** A record of which is told what is written into it. */
export class WitnessedLog implements CallLog {
  readonly #log: CallLog;
  readonly #witness: Witness;

  constructor(log: CallLog, witness: Witness) {
    this.#log = log;
    this.#witness = witness;
  }

  started(): Promise<void> {
    return this.#log.started();
  }

  turn(turn: LoggedTurn): Promise<void> {
    // What tools and searches brought is on the tape as their answers; who gave them, nobody replays.
    const { tools: _, sources: __, providers: ___, ...said } = turn;
    this.#witness.tell({ t: this.#witness.clock.now(), type: 'turn', turn: said });
    return this.#log.turn(turn);
  }

  ended(reason: EndedReason): Promise<void> {
    return this.#log.ended(reason);
  }
}

export function witnessedFaults(onFault: CallFault, { clock, tell }: Witness): CallFault {
  return (part, error) => {
    tell({ t: clock.now(), type: 'fault', part });
    onFault(part, error);
  };
}
