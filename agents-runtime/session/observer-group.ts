import type { LoggedTurn, TurnLatency } from '../contract/call-log.js';
import type {
  CallInputEvent,
  CallObserver,
  PlayedSpan,
  ProviderExchange,
  TransportEvent,
  TurnOutcome,
} from '../contract/call-observer.js';
import type { Clock } from '../contract/clock.js';
import type { EndedReason } from '../contract/ended-reason.js';
import type { CallPart } from '../contract/errors.js';
import type { TurnEvent } from '../contract/turn-events.js';

export interface ObserverGroupOptions {
  readonly observers: readonly CallObserver[];
  readonly clock: Clock;
  /** Clock time of call time zero. */
  readonly startedAt: number;
  /** Receives the first exception of each observer. Must not throw. */
  readonly report: (error: unknown) => void;
}

/**
 * Notifies the observers of a call, with the call time. This is the only place that contains their
 * exceptions: an observer that throws disturbs neither the call nor the other observers.
 */
export class ObserverGroup {
  readonly #options: ObserverGroupOptions;
  readonly #failed = new Set<CallObserver>();

  constructor(options: ObserverGroupOptions) {
    this.#options = options;
  }

  /** Whether an observer needs these notifications. */
  has(method: keyof CallObserver): boolean {
    return this.#options.observers.some((observer) => observer[method] !== undefined);
  }

  input(event: CallInputEvent): void {
    this.#notify((observer, atMs) => observer.input?.(event, atMs));
  }

  output(event: TransportEvent): void {
    this.#notify((observer, atMs) => observer.output?.(event, atMs));
  }

  /** @param startAt - clock time */
  playing(startAt: number, samples: Int16Array): void {
    const span = this.#spanOf(startAt, samples);
    this.#notify((observer) => observer.playing?.(span));
  }

  /** @param startAt - clock time */
  played(startAt: number, samples: Int16Array): void {
    const span = this.#spanOf(startAt, samples);
    this.#notify((observer) => observer.played?.(span));
  }

  provider(exchange: ProviderExchange): void {
    this.#notify((observer, atMs) => observer.provider?.(exchange, atMs));
  }

  turnEvent(event: TurnEvent): void {
    this.#notify((observer, atMs) => observer.turnEvent?.(event, atMs));
  }

  turnOutcome(outcome: TurnOutcome): void {
    this.#notify((observer) => observer.turnOutcome?.(outcome));
  }

  logged(turn: LoggedTurn): void {
    this.#notify((observer, atMs) => observer.logged?.(turn, atMs));
  }

  latency(latency: TurnLatency): void {
    this.#notify((observer) => observer.latency?.(latency));
  }

  dropped(samples: number): void {
    this.#notify((observer) => observer.dropped?.(samples));
  }

  fault(part: CallPart, error: unknown): void {
    this.#notify((observer, atMs) => observer.fault?.(part, error, atMs));
  }

  ended(reason: EndedReason): void {
    this.#notify((observer) => observer.ended?.(reason));
  }

  #spanOf(startAt: number, samples: Int16Array): PlayedSpan {
    return { startMs: startAt - this.#options.startedAt, samples };
  }

  #notify(act: (observer: CallObserver, atMs: number) => void): void {
    const { observers, clock, startedAt, report } = this.#options;
    const atMs = clock.now() - startedAt;
    for (const observer of observers) {
      try {
        act(observer, atMs);
      } catch (error) {
        if (this.#failed.has(observer)) continue;
        this.#failed.add(observer);
        report(error);
      }
    }
  }
}
