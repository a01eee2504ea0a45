import type { EndedReason } from '../contract/ended-reason.js';
import type { AnnouncementKind, CurrentPlayback, TurnEffect } from '../contract/turn-events.js';
import type { EndpointingDelays } from './endpointing.js';
import type { EntityKind } from './word-lists/turn-words.js';

/** The agent settings of the turn reducer. Times in ms. */
export interface TurnSettings extends EndpointingDelays {
  readonly allowInterruptions: boolean;
  readonly allowInterruptionsOnGreeting: boolean;
  /** Words over the agent that interrupt it. 0: any speech does. */
  readonly minInterruptionWords: number;
  /** Silence of both sides after which the agent asks whether the caller is there. 0: never. */
  readonly userSilenceTimeoutMs: number;
  /** The agent may end a call in which nobody speaks. */
  readonly allowAgentToEndCall: boolean;
  readonly maxCallDurationMs: number;
  /** Language of word lists such as backchannels (ISO 639-1). */
  readonly language: string;
}

/** The caller's side. Times are ms of call time. */
export type UserPhase =
  | { readonly phase: 'silent' }
  | { readonly phase: 'speaking' }
  /** Speech has paused or stopped. The turn is committed at `dueMs` unless speech resumes. */
  | {
      readonly phase: 'paused';
      /** The last sample of speech. */
      readonly speechEndMs: number;
      readonly dueMs: number;
      /** `dueMs` has passed; only the final transcript is missing. */
      readonly isDue: boolean;
      /** Mean of the turn detector's results for this pause, 0…1. */
      readonly probability: number | undefined;
      /** Results of the turn detector for this pause. */
      readonly results: number;
      /** Requests to the turn detector for this pause. */
      readonly requests: number;
    };

/** An utterance of the agent. */
export interface Utterance {
  readonly id: number;
  readonly kind: 'reply' | AnnouncementKind;
  /** The call ends for this reason once the utterance has been played. */
  readonly ends?: EndedReason;
}

/** The agent's side. `held`: speech has paused the playout until the utterance is cut or resumed. */
export type AgentPhase =
  | { readonly phase: 'idle' }
  | { readonly phase: 'thinking'; readonly utterance: Utterance }
  | { readonly phase: 'speaking'; readonly utterance: Utterance }
  | {
      readonly phase: 'held';
      readonly utterance: Utterance;
      /** Some of it had been played. */
      readonly hasSpoken: boolean;
      readonly sinceMs: number;
    };

/** A turn of the caller, from its first speech to its commit. Times are ms of call time. */
export interface Turn {
  readonly index: number;
  readonly startMs: number;
  /** The newest transcript. */
  readonly text: string;
  readonly isFinal: boolean;
  /** End of the transcribed audio. A transcript that reaches into a pause is nearly final. */
  readonly transcribedUpToMs: number;
  /** A transcript has arrived, with or without words. */
  readonly hasTranscript: boolean;
  /** The turn has held the agent's playout, which happens only once. */
  readonly hasHeld: boolean;
  /** What the agent was saying when the turn began. */
  readonly spokenOver: CurrentPlayback | undefined;
}

export interface TurnState {
  readonly settings: TurnSettings;
  readonly user: UserPhase;
  readonly agent: AgentPhase;
  readonly turn: Turn | undefined;
  /** What the agent's last words asked for, if it is dictated in parts, such as a number. */
  readonly expectedEntity: EntityKind | undefined;
  /** Text of a complete turn that waits for protected speech to end. */
  readonly queuedText: string | undefined;
  readonly queuedTurn: number | undefined;
  /** The text that the running reply answers, until its first audio. */
  readonly answering: string | undefined;
  /** The caller's text whose reply was cut before its first audio. The next turn includes it. */
  readonly carriedText: string | undefined;
  readonly nextTurn: number;
  readonly nextUtterance: number;
  /** Utterances to start when neither side speaks. */
  readonly pending: readonly PendingUtterance[];
  /** Dictated texts that have not been started. */
  readonly dictated: readonly string[];
  readonly silence: SilenceState;
  readonly faults: FaultCounts;
  readonly isClosed: boolean;
}

/** `reply-to-tools`: a reply to the result of a tool whose reply was cut. */
export type PendingUtterance = 'warning' | 'no-audio' | 'no-transcript' | 'reply-to-tools';

/** What the timers `silence` and `no-audio` depend on. */
export interface SilenceState {
  readonly isConnected: boolean;
  /** Prompts since the caller's last words. */
  readonly prompts: number;
  /** A prompt is due, but a noise without words delays it. */
  readonly isPromptDelayed: boolean;
  /** Running tools that a turn waits for. */
  readonly runningTools: number;
  readonly hasReportedNoAudio: boolean;
}

/** Consecutive faults of providers. */
export interface FaultCounts {
  /** Utterances whose synthesis failed. */
  readonly voice: number;
  /** Replies for which all LLMs failed. */
  readonly reply: number;
  /** The newest utterance that says that all LLMs failed; 0 without one. */
  readonly failedReply: number;
  /** Turns without a result of speech recognition. */
  readonly recognition: number;
}

export type TurnStep = readonly [TurnState, ...TurnEffect[]];

/** Appends a step that starts from the state of the step before. */
export function andThen(step: TurnStep, next: (state: TurnState) => TurnStep): TurnStep {
  const [state, ...effects] = step;
  const [after, ...more] = next(state);
  return [after, ...effects, ...more];
}

export function addPending(state: TurnState, kind: PendingUtterance): TurnState {
  return state.pending.includes(kind) ? state : { ...state, pending: [...state.pending, kind] };
}

export function withSilence(state: TurnState, change: Partial<SilenceState>): TurnState {
  return { ...state, silence: { ...state.silence, ...change } };
}
