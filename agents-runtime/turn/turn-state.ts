import type { EndedReason } from '../contract/ended-reason.js';
import type { AnnouncementKind, SpokenOver, TurnEffect } from '../contract/turn-events.js';
import type { EntityKind } from './endpointing-lexicon.js';

/** What the turn-taker wants of the agent's config, in ms. */
export interface TurnSettings {
  readonly minSilenceMs: number;
  readonly minEndpointingMs: number;
  readonly maxEndpointingMs: number;
  readonly allowInterruptions: boolean;
  readonly allowInterruptionsOnGreeting: boolean;
  readonly minInterruptionWords: number;
  /** Both silent for so long: the agent asks. 0: never. */
  readonly userSilenceTimeoutMs: number;
  /** The agent may end a call in which nobody speaks. */
  readonly allowAgentToEndCall: boolean;
  readonly maxCallDurationMs: number;
  /** ISO 639-1: whose backchannels count. */
  readonly language: string;
}

/** The caller's side. Times are ms of call time; `speechEndMs` is the last sample of speech. */
export type UserPhase =
  | { readonly phase: 'silent' }
  | { readonly phase: 'speaking' }
  /** Speech has paused or stopped; the turn is committed at `dueMs` unless speech resumes. */
  | {
      readonly phase: 'paused';
      readonly speechEndMs: number;
      readonly dueMs: number;
      /** The time has come, only the transcript is still missing. */
      readonly isDue: boolean;
      /** The turn model's answer for this pause, the mean of all that have come. */
      readonly probability: number | undefined;
      readonly answers: number;
      /** How often it has been asked about this pause. */
      readonly asks: number;
    };

/** What the agent is saying, and whether speech may interrupt it. */
export interface Utterance {
  readonly id: number;
  readonly kind: 'reply' | AnnouncementKind;
  /** The call ends, for this reason, when it has been played. */
  readonly ends?: EndedReason;
}

/** The agent's side. `held` is a playout that speech has paused and that a cut or a resume ends. */
export type AgentPhase =
  | { readonly phase: 'idle' }
  | { readonly phase: 'thinking'; readonly utterance: Utterance }
  | { readonly phase: 'speaking'; readonly utterance: Utterance }
  | {
      readonly phase: 'held';
      readonly utterance: Utterance;
      readonly hasSpoken: boolean;
      readonly sinceMs: number;
    };

/** One stretch of the caller's words, from the first speech to the commit. */
export interface Turn {
  readonly index: number;
  readonly startMs: number;
  /** Committed pieces of text, then the newest interim or final of the running one. */
  readonly text: string;
  readonly isFinal: boolean;
  /** How far the newest transcript has listened: one that reaches into a pause will hardly change. */
  readonly transcribedUpToMs: number;
  /** The recogniser has said something of it, be it that there are no words. */
  readonly hasTranscript: boolean;
  /** This turn has held the agent already: it pauses no second time. */
  readonly hasHeld: boolean;
  /** The agent was being heard when it began. */
  readonly over: SpokenOver | undefined;
}

export interface TurnState {
  readonly settings: TurnSettings;
  readonly user: UserPhase;
  readonly agent: AgentPhase;
  readonly turn: Turn | undefined;
  /** What the agent's last words asked for, if that is said in pieces. */
  readonly asked: EntityKind | undefined;
  /** A whole turn that waits for protected speech to end. */
  readonly waiting: string | undefined;
  readonly waitingTurn: number | undefined;
  /** The text that the running reply answers, until its first sound. */
  readonly answering: string | undefined;
  /** What was cut before its first sound: the next turn begins with it. */
  readonly unanswered: string | undefined;
  readonly nextTurn: number;
  readonly nextUtterance: number;
  /** What the agent will say, or answer, as soon as the floor is free. */
  readonly pending: readonly Pending[];
  /** What the agent was told to say, and has not begun yet. */
  readonly dictated: readonly string[];
  readonly limits: CallLimits;
  readonly isClosed: boolean;
}

/** `report`: tell what a tool brought after the reply that asked for it was cut. */
export type Pending = 'warning' | 'no-sound' | 'unheard' | 'report';

/** What keeps a call from hanging: how often it has asked, and what has failed in a row. */
export interface CallLimits {
  readonly isConnected: boolean;
  /** Prompts since the caller's last words. */
  readonly prompts: number;
  /** The silence is over, and only a noise without words holds the prompt back. */
  readonly isOverdue: boolean;
  /** Tools that hold a turn. */
  readonly tools: number;
  readonly voiceFaults: number;
  readonly replyFaults: number;
  /** The newest utterance that is only an apology of the model's. */
  readonly failedReply: number;
  readonly recognitionFaults: number;
  readonly hasReportedNoAudio: boolean;
}

export type TurnStep = readonly [TurnState, ...TurnEffect[]];

/** One step and then another, with the effects of both. */
export function andThen(step: TurnStep, next: (state: TurnState) => TurnStep): TurnStep {
  const [state, ...effects] = step;
  const [after, ...more] = next(state);
  return [after, ...effects, ...more];
}
