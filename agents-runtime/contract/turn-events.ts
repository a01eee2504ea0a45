import type { EndedReason } from './ended-reason.js';

/** What the agent says without an LLM. */
export type AnnouncementKind =
  | 'greeting'
  /** Asks whether the caller is still there. */
  | 'prompt'
  /** The call ends soon. */
  | 'warning'
  /** No audio has arrived from the caller yet. */
  | 'no-audio'
  /** Speech recognition failed: asks the caller to repeat. */
  | 'no-transcript'
  /** Speech synthesis failed during the utterance before. */
  | 'voice-apology'
  /** A text from `CallInput.say`. */
  | 'dictated'
  | 'goodbye';

/** The utterance that the client is playing. */
export interface CurrentPlayback {
  /** The sentence being played is a question, so speech over it is an answer. */
  readonly isQuestion: boolean;
  /** Audio still to be played, ms; Infinity while the utterance is being generated. */
  readonly remainingMs: number;
}

export const TURN_TIMERS = [
  'commit',
  'judge-again',
  'late-transcript',
  'false-interruption',
  'silence',
  'warning',
  'limit',
  'no-audio',
  'hang-up',
] as const;
export type TurnTimer = (typeof TURN_TIMERS)[number];

/** An event for the turn reducer. Times are ms of call time; `utterance` is an utterance's number. */
export type TurnEvent =
  /** The media connection is open. */
  | { readonly type: 'connected'; readonly greets: boolean }
  /** The first audio of the caller has arrived. */
  | { readonly type: 'audio-started' }
  | { readonly type: 'speech-started'; readonly startMs: number; readonly over?: CurrentPlayback }
  /** `speechEndMs`: time of the last sample of speech, here and below. */
  | { readonly type: 'speech-paused'; readonly speechEndMs: number }
  | { readonly type: 'speech-resumed' }
  | { readonly type: 'speech-stopped'; readonly speechEndMs: number }
  /** The turn detector's result for the pause at `speechEndMs`, 0…1. */
  | { readonly type: 'completeness'; readonly speechEndMs: number; readonly probability: number }
  | {
      readonly type: 'transcript';
      readonly text: string;
      /** Final transcripts: the pause up to which the text reaches. Undefined for an interim. */
      readonly speechEndMs: number | undefined;
      /** End of the transcribed audio, if known. */
      readonly upToMs?: number;
    }
  | { readonly type: 'typed'; readonly text: string }
  /** The agent says this text as soon as neither side speaks. */
  | { readonly type: 'dictated'; readonly text: string }
  /** The conversation continues in this language (ISO 639-1). */
  | { readonly type: 'language'; readonly language: string }
  /** The part of a finished utterance that the caller heard. */
  | { readonly type: 'agent-said'; readonly text: string }
  | { readonly type: 'timer'; readonly timer: TurnTimer }
  /** Playout of the utterance's first sample has started. */
  | { readonly type: 'playout-started'; readonly utterance: number }
  /** Playout has run out of audio before the utterance's end. */
  | { readonly type: 'playout-stalled'; readonly utterance: number }
  /** The utterance has been played, or had no audio. `isFaulty`: speech synthesis failed. */
  | {
      readonly type: 'playout-finished';
      readonly utterance: number;
      readonly isFaulty?: boolean;
    }
  /** A tool that the turn waits for has started. */
  | { readonly type: 'tool-started' }
  /** That tool has ended. `isLate`: the reply that called it was cut. Replay files contain this name. */
  | { readonly type: 'tool-ended'; readonly isLate: boolean }
  /** All LLMs failed; the utterance says so. */
  | { readonly type: 'reply-failed'; readonly utterance: number }
  /** The utterance is the agent's goodbye: the call ends after it has been played. */
  | { readonly type: 'ending'; readonly utterance: number; readonly reason: EndedReason }
  | { readonly type: 'close' };

/** Why a turn of the caller gets no reply. `no-transcript`: speech recognition returned no result. */
export type DropReason = 'no-words' | 'no-transcript' | 'backchannel';

/** Times of a spoken turn, ms of call time. */
export interface TurnSpan {
  readonly startMs: number;
  readonly speechEndMs: number;
  /** When the turn could be committed. */
  readonly dueMs: number;
}

/** An effect that the turn reducer returns. `EffectRunner` carries it out. */
export type TurnEffect =
  /** Run the turn detector on the turn up to `silenceMs` after the end of speech. */
  | { readonly type: 'judge-turn'; readonly speechEndMs: number; readonly silenceMs: number }
  | { readonly type: 'finalise-transcript'; readonly speechEndMs: number }
  /** `atMs`: call time at which the timer fires. Replaces a running timer of the same name. */
  | { readonly type: 'start-timer'; readonly timer: TurnTimer; readonly atMs: number }
  | { readonly type: 'cancel-timer'; readonly timer: TurnTimer }
  /** Generate a reply before the turn is committed. It is not played until `commit-turn`. */
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
      /** The turn before got no audible answer: `text` includes it and takes its place. */
      readonly replaces: boolean;
      /** Undefined for a turn that was typed or queued. */
      readonly spoken: TurnSpan | undefined;
    }
  | { readonly type: 'drop-turn'; readonly turn: number; readonly why: DropReason }
  /** The turn is complete and waits for protected speech to end. New speech starts another turn. */
  | { readonly type: 'queue-turn'; readonly turn: number }
  /** The turn's words are part of another turn, or are not published. */
  | { readonly type: 'retract-transcript'; readonly turn: number }
  /** The call ended before this turn was answered. */
  | {
      readonly type: 'record-unanswered';
      readonly turn: number;
      readonly text: string;
      /** Undefined for a queued turn. */
      readonly startMs: number | undefined;
    }
  | {
      readonly type: 'speak';
      readonly kind: AnnouncementKind;
      readonly utterance: number;
      /** For a goodbye. */
      readonly reason: EndedReason | undefined;
      /** How often this kind has been said before. */
      readonly times: number;
      /** For a dictated text. */
      readonly text?: string;
    }
  /** Reply to the result of a tool, without a turn of the caller. */
  | { readonly type: 'reply-to-tools'; readonly utterance: number }
  /** Add a note to the LLM's requests that the call ends soon. */
  | { readonly type: 'note-ends-soon' }
  | { readonly type: 'hang-up'; readonly reason: EndedReason }
  | { readonly type: 'hold-playout' }
  | { readonly type: 'resume-playout' }
  | { readonly type: 'cut-playout'; readonly utterance: number }
  | { readonly type: 'publish-state'; readonly state: 'listening' | 'thinking' | 'speaking' };
