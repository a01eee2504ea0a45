import type { Clock, Ticker } from '../contract/clock.js';
import type { Transport } from '../contract/transport.js';
import type { FaultBoundary } from '../timing/fault-boundary.js';
import type { Spoken } from './utterance-playout.js';

/** What the agent's speech is sent by. */
export interface PlayoutDependencies {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly ticker: Pick<Ticker, 'join'>;
  readonly boundary: FaultBoundary;
}

/** Hears how the agent's speech gets on. */
export interface PlayoutListener {
  /** The utterance's first frame has been sent, or the first after it had stalled. */
  started(utterance: number): void;
  /** Nothing of it is being played, and more will come; `started` is told again then. */
  stalled(utterance: number): void;
  /** All the text that is being spoken in it so far, when there is more of it. */
  text(utterance: number, text: string): void;
  /** The client has played its first sample, at this clock time; told once, at the latest when it ends. */
  audible(utterance: number, atMs: number): void;
  /** A frame of 20 ms has begun to be played, by the playout's clock, at this clock time. */
  playing?(samples: Float32Array, atMs: number): void;
  /** All of it has been played, or nothing came. */
  finished(spoken: Spoken): void;
}
