import type { Clock, Timer } from '../contract/clock.js';
import type { TurnEffect, TurnEvent, TurnTimer } from '../contract/turn-events.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';
import { initialTurnState, stepTurn } from '../turn/turn-reducer.js';
import type { TurnSettings, TurnState } from '../turn/turn-state.js';

/** Effects that are not timers: the call carries them out. */
export type CallEffect = Exclude<TurnEffect, { readonly type: 'start-timer' | 'cancel-timer' }>;

export interface EffectRunnerOptions {
  readonly settings: TurnSettings;
  readonly clock: Clock;
  /** Clock time of call time zero. */
  readonly startedAt: number;
  /** An event or an effect that throws is reported here; the events and effects after it still count. */
  readonly boundary: FaultBoundary;
  readonly act: (action: CallEffect) => void;
  /** Called once, after `close` and everything that was queued before it have been carried out. */
  readonly onClosed?: () => void;
}

/** Runs the turn reducer: feeds it one event at a time and carries out its timers. */
export class EffectRunner {
  readonly #options: EffectRunnerOptions;
  readonly #timers = new Map<TurnTimer, Timer>();
  readonly #queue: TurnEvent[] = [];
  #isStepping = false;
  #isClosed = false;
  #state: TurnState;

  constructor(options: EffectRunnerOptions) {
    this.#options = options;
    this.#state = initialTurnState(options.settings);
  }

  get state(): TurnState {
    return this.#state;
  }

  /** Takes an event; one that comes while another is carried out waits its turn. */
  dispatch(event: TurnEvent): void {
    this.#queue.push(event);
    if (this.#isStepping) return;
    this.#isStepping = true;
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) this.#step(next);
    this.#isStepping = false;
  }

  /** Ends all timers; events after it change nothing. Within a step it is queued: see `onClosed`. */
  close(): void {
    this.dispatch({ type: 'close' });
  }

  #step(event: TurnEvent): void {
    if (this.#isClosed) return;
    this.#isClosed = event.type === 'close';
    const { boundary, onClosed } = this.#options;
    boundary.run(() => this.#carryOut(event));
    if (!this.#isClosed) return;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    if (onClosed) boundary.run(onClosed);
  }

  #carryOut(event: TurnEvent): void {
    const { clock, startedAt, boundary } = this.#options;
    const [state, ...effects] = stepTurn(this.#state, event, clock.now() - startedAt);
    this.#state = state;
    for (const effect of effects) boundary.run(() => this.#apply(effect));
  }

  #apply(effect: TurnEffect): void {
    if (effect.type === 'start-timer') this.#startTimer(effect.timer, effect.atMs);
    else if (effect.type === 'cancel-timer') this.#cancelTimer(effect.timer);
    else this.#options.act(effect);
  }

  #startTimer(timer: TurnTimer, atMs: number): void {
    this.#cancelTimer(timer);
    const { clock, startedAt } = this.#options;
    const waitMs = Math.max(0, startedAt + atMs - clock.now());
    this.#timers.set(
      timer,
      clock.after(waitMs, () => {
        this.#timers.delete(timer);
        this.dispatch({ type: 'timer', timer });
      }),
    );
  }

  #cancelTimer(timer: TurnTimer): void {
    this.#timers.get(timer)?.cancel();
    this.#timers.delete(timer);
  }
}
