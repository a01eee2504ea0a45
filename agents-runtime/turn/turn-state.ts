import type { EntityKind } from './cue-words.js';

/** What the turn-taker wants of the agent's config, in ms. */
export interface TurnSettings {
  readonly minSilenceMs: number;
  readonly minEndpointingMs: number;
  readonly maxEndpointingMs: number;
  readonly allowInterruptions: boolean;
  readonly allowInterruptionsOnGreeting: boolean;
  readonly minInterruptionWords: number;
  /** ISO 639-1: whose backchannels count. */
  readonly language: string;
}

/** The caller's side. Times are ms of call time; `zeroMs` is the last sample of speech. */
export type UserPhase =
  | { readonly phase: 'silent' }
  | { readonly phase: 'speaking' }
  /** Speech has paused or stopped; the turn is committed at `dueMs` unless speech resumes. */
  | {
      readonly phase: 'paused';
      readonly zeroMs: number;
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
  readonly kind: 'greeting' | 'reply' | 'goodbye';
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
  /** The recogniser has said something of it, be it that there are no words. */
  readonly hasTranscript: boolean;
  /** This turn has held the agent already: it pauses no second time. */
  readonly hasHeld: boolean;
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
  readonly isClosed: boolean;
}

export type TurnTimer = 'commit' | 'judge-again' | 'late-transcript' | 'false-interruption';

export type TurnEvent =
  | { readonly type: 'speech-started'; readonly startMs: number }
  | { readonly type: 'speech-paused'; readonly zeroMs: number }
  | { readonly type: 'speech-resumed' }
  | { readonly type: 'speech-stopped'; readonly zeroMs: number }
  /** Turn model's answer for the pause at `zeroMs`. */
  | { readonly type: 'completeness'; readonly zeroMs: number; readonly probability: number }
  /** `zeroMs` is set on a final: the pause that it reaches up to. */
  | { readonly type: 'transcript'; readonly text: string; readonly zeroMs: number | undefined }
  | { readonly type: 'typed'; readonly text: string }
  /** What was heard of an utterance that is over. */
  | { readonly type: 'agent-said'; readonly text: string }
  | { readonly type: 'timer'; readonly timer: TurnTimer }
  | { readonly type: 'say'; readonly kind: 'greeting' | 'goodbye' }
  /** The utterance's first sample is being played. */
  | { readonly type: 'playout-started'; readonly utterance: number }
  /** All of the utterance has been played, or nothing of it came. */
  | { readonly type: 'playout-finished'; readonly utterance: number }
  | { readonly type: 'close' };

export interface SpokenTimes {
  readonly startMs: number;
  readonly zeroMs: number;
  readonly dueMs: number;
}

export type TurnEffect =
  /** Asks whether the turn is over, with so much silence behind it. */
  | { readonly type: 'judge-turn'; readonly zeroMs: number; readonly silenceMs: number }
  | { readonly type: 'finalise-transcript'; readonly zeroMs: number }
  /** Call time at which the timer fires; starting it again moves it. */
  | { readonly type: 'start-timer'; readonly timer: TurnTimer; readonly atMs: number }
  | { readonly type: 'cancel-timer'; readonly timer: TurnTimer }
  /** Make a reply ahead of the commit; it stays silent until it is committed. */
  | {
      readonly type: 'prepare-reply';
      readonly text: string;
      readonly utterance: number;
      /** As in `commit-turn`. */
      readonly replaces: boolean;
    }
  | { readonly type: 'drop-prepared' }
  | {
      readonly type: 'commit-turn';
      readonly turn: number;
      readonly text: string;
      readonly utterance: number;
      /** The turn before got no sound in answer: this text takes its place. */
      readonly replaces: boolean;
      /** When its speech began and ended and when it was due, for a turn that was spoken just now. */
      readonly spoken: SpokenTimes | undefined;
    }
  | { readonly type: 'drop-turn'; readonly turn: number; readonly why: 'no-words' | 'backchannel' }
  /** It is whole and waits for protected speech to end; what is said now is another turn. */
  | {
      readonly type: 'keep-turn';
      readonly turn: number;
      /** The turn that waited already and whose text is now part of this one. */
      readonly merged: number | undefined;
    }
  /** The call ended before this could be answered. */
  | {
      readonly type: 'leave-turn';
      readonly turn: number;
      readonly text: string;
      /** Unknown for what had been waiting. */
      readonly startMs: number | undefined;
    }
  | { readonly type: 'speak'; readonly kind: 'greeting' | 'goodbye'; readonly utterance: number }
  | { readonly type: 'hold-playout' }
  | { readonly type: 'resume-playout' }
  | { readonly type: 'cut-playout'; readonly utterance: number }
  | { readonly type: 'show'; readonly state: 'listening' | 'thinking' | 'speaking' };

export type TurnStep = readonly [TurnState, ...TurnEffect[]];

/** The state in which a call begins. */
export function initialTurnState(settings: TurnSettings): TurnState {
  return {
    settings,
    user: { phase: 'silent' },
    agent: { phase: 'idle' },
    turn: undefined,
    asked: undefined,
    waiting: undefined,
    waitingTurn: undefined,
    answering: undefined,
    unanswered: undefined,
    nextTurn: 1,
    nextUtterance: 1,
    isClosed: false,
  };
}

/** One step and then another, with the effects of both. */
export function andThen(step: TurnStep, next: (state: TurnState) => TurnStep): TurnStep {
  const [state, ...effects] = step;
  const [after, ...more] = next(state);
  return [after, ...effects, ...more];
}
