import type { Clock, Timer } from '../contract/clock.js';
import type { TurnEffect, TurnEvent, TurnTimer } from '../contract/turn-events.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';
import { initialTurnState, stepTurn } from '../turn/turn-reducer.js';
import type { TurnSettings, TurnState } from '../turn/turn-state.js';

/** The effects that the runner passes to a handler; it carries out timers itself. */
export type CallEffect = Exclude<TurnEffect, { readonly type: 'start-timer' | 'cancel-timer' }>;

type EffectsByType = { readonly [E in CallEffect as E['type']]: E };

/** One handler for each effect of a call. */
export type EffectHandlers = {
  readonly [T in keyof EffectsByType]: (effect: EffectsByType[T]) => void;
};

export interface EffectRunnerOptions {
  readonly settings: TurnSettings;
  readonly clock: Clock;
  /** Clock time of call time zero, ms. */
  readonly startedAt: number;
  /** Receives the exceptions of the reducer and of handlers; later events and effects still run. */
  readonly boundary: FaultBoundary;
  readonly handlers: EffectHandlers;
  /** Called before the reducer processes an event. Must not throw. */
  readonly onEvent?: ((event: TurnEvent) => void) | undefined;
  /** Called once, after `close` and all events before it. */
  readonly onClosed?: () => void;
}

/** The loop of a call: an event changes the state, and the reducer's effects are carried out in order. */
export class EffectRunner {
  readonly #options: EffectRunnerOptions;
  readonly #timers = new Map<TurnTimer, Timer>();
  readonly #queue: TurnEvent[] = [];
  #isRunning = false;
  #isClosed = false;
  #state: TurnState;

  constructor(options: EffectRunnerOptions) {
    this.#options = options;
    this.#state = initialTurnState(options.settings);
  }

  get state(): TurnState {
    return this.#state;
  }

  /** Processes an event. Events from within a handler are queued until the current event is processed. */
  dispatch(event: TurnEvent): void {
    this.#queue.push(event);
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) this.#process(next);
    this.#isRunning = false;
  }

  /** Cancels all timers and ignores later events. From within a handler it is queued: see `onClosed`. */
  close(): void {
    this.dispatch({ type: 'close' });
  }

  #process(event: TurnEvent): void {
    if (this.#isClosed) return;
    this.#isClosed = event.type === 'close';
    const { boundary, onEvent, onClosed } = this.#options;
    onEvent?.(event);
    boundary.run(() => this.#step(event));
    if (!this.#isClosed) return;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    if (onClosed) boundary.run(onClosed);
  }

  #step(event: TurnEvent): void {
    const { clock, startedAt, boundary } = this.#options;
    const [state, ...effects] = stepTurn(this.#state, event, clock.now() - startedAt);
    this.#state = state;
    for (const effect of effects) boundary.run(() => this.#carryOut(effect));
  }

  #carryOut(effect: TurnEffect): void {
    switch (effect.type) {
      case 'start-timer':
        this.#startTimer(effect.timer, effect.atMs);
        return;
      case 'cancel-timer':
        this.#cancelTimer(effect.timer);
        return;
      default:
        handle(this.#options.handlers, effect.type, effect);
    }
  }

  #startTimer(timer: TurnTimer, atMs: number): void {
    this.#cancelTimer(timer);
    const { clock, startedAt } = this.#options;
    const onTime = () => {
      this.#timers.delete(timer);
      this.dispatch({ type: 'timer', timer });
    };
    this.#timers.set(timer, clock.after(Math.max(0, startedAt + atMs - clock.now()), onTime));
  }

  #cancelTimer(timer: TurnTimer): void {
    this.#timers.get(timer)?.cancel();
    this.#timers.delete(timer);
  }
}

function handle<T extends keyof EffectsByType>(
  handlers: EffectHandlers,
  type: T,
  effect: EffectsByType[T],
): void {
  handlers[type](effect);
}
