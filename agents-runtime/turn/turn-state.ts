import type { EndedReason } from '../contract/call-log.js';
import type { EntityKind } from './lexicons/turn-lexicon.js';

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

/** What the agent says without a model. */
export type Saying =
  | 'greeting'
  /** Is the caller still there? */
  | 'prompt'
  /** The call's time is nearly over. */
  | 'warning'
  /** No sound has come from the caller yet. */
  | 'no-sound'
  /** The recogniser failed: please say it again. */
  | 'unheard'
  /** The voice broke off. */
  | 'apology'
  /** Somebody who watches the call has it said. */
  | 'dictated'
  | 'goodbye';

/** What the agent is saying, and whether speech may interrupt it. */
export interface Utterance {
  readonly id: number;
  readonly kind: 'reply' | Saying;
  /** The call ends, for this reason, when it has been played. */
  readonly ends?: EndedReason;
}

/** Where the agent stood when the caller began to speak. */
export interface SpokenOver {
  /** In a sentence that asks: what is said to it is an answer. */
  readonly isQuestion: boolean;
  /** What was left to be played; Infinity while more is being made. */
  readonly remainingMs: number;
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

export const TURN_TIMERS = [
  'commit',
  'judge-again',
  'late-transcript',
  'false-interruption',
  'silence',
  'warning',
  'limit',
  'no-sound',
  'hang-up',
] as const;
export type TurnTimer = (typeof TURN_TIMERS)[number];

export type TurnEvent =
  /** Media is connected. */
  | { readonly type: 'connected'; readonly greets: boolean }
  /** The first audio of the caller. */
  | { readonly type: 'sound-came' }
  | { readonly type: 'speech-started'; readonly startMs: number; readonly over?: SpokenOver }
  | { readonly type: 'speech-paused'; readonly speechEndMs: number }
  | { readonly type: 'speech-resumed' }
  | { readonly type: 'speech-stopped'; readonly speechEndMs: number }
  /** Turn model's answer for the pause at `speechEndMs`. */
  | { readonly type: 'completeness'; readonly speechEndMs: number; readonly probability: number }
  | {
      readonly type: 'transcript';
      readonly text: string;
      /** Set on a final: the pause that it reaches up to. */
      readonly speechEndMs: number | undefined;
      /** How far it has listened, if that is known. */
      readonly upToMs?: number;
    }
  | { readonly type: 'typed'; readonly text: string }
  /** The agent shall say this as soon as the floor is free. */
  | { readonly type: 'dictated'; readonly text: string }
  /** Another language is spoken from now on. */
  | { readonly type: 'language'; readonly language: string }
  /** What was heard of an utterance that is over. */
  | { readonly type: 'agent-said'; readonly text: string }
  | { readonly type: 'timer'; readonly timer: TurnTimer }
  /** The utterance's first sample is being played. */
  | { readonly type: 'playout-started'; readonly utterance: number }
  /** Nothing of it is being played for now, and more will come. */
  | { readonly type: 'playout-stalled'; readonly utterance: number }
  /** All of the utterance has been played, or nothing of it came; `isFaulty`: the voice broke off. */
  | {
      readonly type: 'playout-finished';
      readonly utterance: number;
      readonly isFaulty?: boolean;
    }
  /** A tool holds the turn … */
  | { readonly type: 'tool-started' }
  /** … no longer; `isLate`: the reply that asked for it had been cut. */
  | { readonly type: 'tool-ended'; readonly isLate: boolean }
  /** No model could answer: the utterance apologises. */
  | { readonly type: 'reply-failed'; readonly utterance: number }
  /** The utterance is the agent's goodbye: the call ends when it has been played. */
  | { readonly type: 'ending'; readonly utterance: number; readonly reason: EndedReason }
  /** The call shall end, after a goodbye. */
  | { readonly type: 'end'; readonly reason: EndedReason }
  | { readonly type: 'close' };

/** Why a turn of the caller's gets no reply; `unheard`: the recogniser gave nothing at all. */
export type DropReason = 'no-words' | 'unheard' | 'backchannel';

export interface SpokenTimes {
  readonly startMs: number;
  readonly speechEndMs: number;
  readonly dueMs: number;
}

export type TurnEffect =
  /** Asks whether the turn is over, with so much silence behind it. */
  | { readonly type: 'judge-turn'; readonly speechEndMs: number; readonly silenceMs: number }
  | { readonly type: 'finalise-transcript'; readonly speechEndMs: number }
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
  | { readonly type: 'drop-turn'; readonly turn: number; readonly why: DropReason }
  /** It is whole and waits for protected speech to end; what is said now is another turn. */
  | { readonly type: 'queue-turn'; readonly turn: number }
  /** The turn's words are shown as part of another turn, or not at all. */
  | { readonly type: 'retract-transcript'; readonly turn: number }
  /** The call ended before this could be answered. */
  | {
      readonly type: 'record-unanswered';
      readonly turn: number;
      readonly text: string;
      /** Unknown for what had been waiting. */
      readonly startMs: number | undefined;
    }
  | {
      readonly type: 'speak';
      readonly kind: Saying;
      readonly utterance: number;
      /** Of a goodbye. */
      readonly reason: EndedReason | undefined;
      /** How often the same has been said before. */
      readonly times: number;
      /** What it says that is dictated. */
      readonly text?: string;
    }
  /** A reply to what a tool brought, without a turn of the caller's. */
  | { readonly type: 'report'; readonly utterance: number }
  /** The model shall know that the call ends soon. */
  | { readonly type: 'warn-model' }
  | { readonly type: 'hang-up'; readonly reason: EndedReason }
  | { readonly type: 'hold-playout' }
  | { readonly type: 'resume-playout' }
  | { readonly type: 'cut-playout'; readonly utterance: number }
  | { readonly type: 'show'; readonly state: 'listening' | 'thinking' | 'speaking' };

export type TurnStep = readonly [TurnState, ...TurnEffect[]];

/** One step and then another, with the effects of both. */
export function andThen(step: TurnStep, next: (state: TurnState) => TurnStep): TurnStep {
  const [state, ...effects] = step;
  const [after, ...more] = next(state);
  return [after, ...effects, ...more];
}
