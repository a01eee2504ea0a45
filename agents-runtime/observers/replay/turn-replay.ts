import type { TurnTimer } from '../../contract/turn-events.js';
import { initialTurnState, stepTurn } from '../../turn/turn-reducer.js';
import type { TurnSettings } from '../../turn/turn-state.js';
import { type Difference, diffEffects } from './diff.js';
import { TOLERANCE_MS } from './recorded-responses.js';
import type { ReplayLine, TurnEventLine } from './replay-format.js';

/**
 * Replays the recorded turn events through the turn reducer, in their order and at their times. Compares
 * the states that the call shows and the timers: a timer must be due when it fired.
 */
export function diffTurns(
  settings: TurnSettings,
  lines: readonly ReplayLine[],
): readonly Difference[] {
  const recorded = lines.filter(
    (line) =>
      (line.type === 'event' && line.event.type === 'state') ||
      (line.type === 'turn-event' && line.event.type === 'timer'),
  );
  const replayed: ReplayLine[] = [];
  const dueMs = new Map<TurnTimer, number>();
  let state = initialTurnState(settings);
  const fire = (timer: TurnTimer, t: number) => {
    dueMs.delete(timer);
    replayed.push({ t, type: 'turn-event', event: { type: 'timer', timer } });
  };
  for (const { t, event } of lines.filter(isTurnEvent)) {
    for (const [timer, due] of dueMs) {
      const isNow = event.type === 'timer' && event.timer === timer;
      if (isNow || due < t - TOLERANCE_MS) fire(timer, due);
    }
    const [next, ...effects] = stepTurn(state, event, t);
    state = next;
    for (const effect of effects) {
      if (effect.type === 'start-timer') dueMs.set(effect.timer, effect.atMs);
      if (effect.type === 'cancel-timer') dueMs.delete(effect.timer);
      if (effect.type === 'publish-state') {
        replayed.push({ t, type: 'event', event: { type: 'state', state: effect.state } });
      }
    }
    if (event.type === 'close') dueMs.clear();
  }
  return diffEffects(recorded, replayed);
}

export function isTurnEvent(line: ReplayLine): line is TurnEventLine {
  return line.type === 'turn-event';
}
