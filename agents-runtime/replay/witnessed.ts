import type { CallLog, EndedReason, LoggedTurn } from '../call/call-log.js';
import type { CallFault } from '../call/call-parts.js';
import type { CallEvent, CallTransport } from '../call/transport.js';
import { WrappedTransport } from '../call/wrapped-transport.js';
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
export class WitnessedTransport extends WrappedTransport {
  readonly #witness: Witness;
  #samples = 0;
  #soundedAt = Number.NEGATIVE_INFINITY;

  constructor(wire: CallTransport, witness: Witness) {
    super(wire);
    this.#witness = witness;
  }

  override audio(samples: Float32Array): void {
    const now = this.#witness.clock.now();
    if (now - this.#soundedAt > REST_MS) {
      this.#tell('audio', (this.#samples * 1000) / this.sampleRate);
    }
    this.#soundedAt = now;
    this.#samples += samples.length;
    super.audio(samples);
  }

  override pause(): void {
    this.#tell('pause');
    super.pause();
  }

  override resumeFrom(fromMs: number): void {
    this.#tell('resume', fromMs);
    super.resumeFrom(fromMs);
  }

  override clear(): void {
    this.#tell('clear');
    super.clear();
  }

  /** The wire is back and goes on from there: the client may have missed what came before. */
  announce(fromMs: number): void {
    this.#tell('announce', fromMs);
  }

  override send(event: CallEvent): void {
    this.#witness.tell({ t: this.#witness.clock.now(), type: 'event', event });
    super.send(event);
  }

  override close(): void {
    this.#tell('close');
    super.close();
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
