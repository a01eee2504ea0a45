import type { LoggedTurn, TurnLatency } from './call-log.js';
import type { EndedReason } from './ended-reason.js';
import type { CallPart } from './errors.js';
import type { CallEvent } from './transport.js';
import type { TurnEvent } from './turn-events.js';

/** The outcome of a caller's turn. `cut`: the agent was interrupted. */
export type TurnOutcome =
  | 'answered'
  | 'no-words'
  /** Speech recognition returned no result, and the agent asked the caller to repeat. */
  | 'no-transcript'
  | 'backchannel'
  | 'unanswered'
  | 'cut';

/** An invocation of `CallInput`. Samples are valid only while the observer runs. */
export type CallInputEvent =
  | { readonly type: 'connected' }
  | { readonly type: 'audio'; readonly samples: Int16Array }
  | { readonly type: 'typed'; readonly text: string }
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'played'; readonly playedMs: number }
  | { readonly type: 'lost'; readonly forMs?: number | undefined }
  | { readonly type: 'regained'; readonly receivedMs: number }
  | { readonly type: 'hang-up'; readonly reason: EndedReason };

/** An operation of a call on its transport. Samples are valid only while the observer runs. */
export type TransportEvent =
  | { readonly type: 'audio'; readonly samples: Float32Array }
  | { readonly type: 'pause' }
  | { readonly type: 'resume'; readonly fromMs: number }
  | { readonly type: 'clear' }
  /** After `regained`: the position of the next audio. */
  | { readonly type: 'announce'; readonly fromMs: number }
  | { readonly type: 'send'; readonly event: CallEvent }
  /** `backlogBytes` has changed by more than 4 KiB since the last event, or is 0 again. */
  | { readonly type: 'backlog'; readonly bytes: number }
  | { readonly type: 'close' };

/** Traffic between a call and its providers. Samples are valid only while the observer runs. */
export type ProviderExchange =
  /** `port`: the provider's role in the call. `key` identifies the request: equal requests have equal keys. */
  | { readonly type: 'request'; readonly id: number; readonly port: string; readonly key: string }
  /** The response to request `id`: a value, an error or the end of a stream. */
  | {
      readonly type: 'response';
      readonly id: number;
      readonly port: string;
      readonly value?: unknown;
      readonly error?: unknown;
      readonly isLast?: boolean;
    }
  /** Speech probability of the next window of 32 ms. */
  | { readonly type: 'voice-activity'; readonly probability: number }
  /** The next samples of the caller, before and after noise reduction. */
  | { readonly type: 'noise-reduction-input'; readonly samples: Float32Array }
  | { readonly type: 'noise-reduction'; readonly samples: Float32Array }
  | { readonly type: 'noise-reduction-failed' };

/** Agent audio that the client played. Samples are valid only while the observer runs. */
export interface PlayedSpan {
  /** Call time of the first sample, ms. */
  readonly startMs: number;
  readonly samples: Int16Array;
}

/**
 * Observes one call. All methods are optional and must neither throw nor wait. `atMs` is call time: ms since
 * the call was constructed. A call notifies its observers in their order, before it acts.
 */
export interface CallObserver {
  /** Before the call handles the input. */
  input?(event: CallInputEvent, atMs: number): void;
  /** Before the transport carries out the operation. */
  output?(event: TransportEvent, atMs: number): void;
  /** By the estimated playhead, the client starts to play this frame of 20 ms. */
  playing?(frame: PlayedSpan): void;
  /**
   * The client played this audio, by its reports. Called 0.25 s after the report, in the order of time.
   * Without reports the clock counts; see `PlaybackTimeline`.
   */
  played?(span: PlayedSpan): void;
  /** Requests to providers are reported when they are made, responses before the call receives them. */
  provider?(exchange: ProviderExchange, atMs: number): void;
  /** Before the turn reducer processes the event. */
  turnEvent?(event: TurnEvent, atMs: number): void;
  turnOutcome?(outcome: TurnOutcome): void;
  /** A turn has been stored in the call log. */
  logged?(turn: LoggedTurn, atMs: number): void;
  latency?(latency: TurnLatency): void;
  /** Samples of the caller that were dropped because they ran too far ahead of real time. Called once. */
  dropped?(samples: number): void;
  fault?(part: CallPart, error: unknown, atMs: number): void;
  /** The call is over and its record is written. */
  ended?(reason: EndedReason): void;
}
