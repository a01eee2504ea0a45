import type { TurnLatency } from './call-log.js';
import type { AgentState } from './transport.js';

/** What became of a caller's turn, or of an answer that was cut short. */
export type TurnOutcome =
  | 'answered'
  | 'no-words'
  /** The recogniser gave nothing; the caller was told so. */
  | 'unheard'
  | 'backchannel'
  | 'unanswered'
  | 'cut';

/** Told of what happens in a call, to be counted: no words, no numbers of anybody. */
export interface CallObserver {
  /** The agent's state as the client is shown it. */
  state(state: AgentState): void;
  turn(outcome: TurnOutcome): void;
  latency(latency: TurnLatency): void;
  /** Samples of the caller's that were refused because they ran too far ahead of real time; told once. */
  dropped(samples: number): void;
}
