/** Why a call ended (the names of the contract's records and webhooks). */
export type EndedReason =
  | 'user_hangup'
  | 'agent_hangup'
  | 'inactivity'
  | 'max_duration_reached'
  | 'concurrency_limit_reached'
  | 'insufficient_credits'
  | 'transferred'
  | 'voicemail_reached'
  | 'error_no_audio_received'
  | 'error_asr'
  | 'error_llm'
  | 'error_tts'
  | 'error_transport'
  | 'drained'
  | 'operator_ended';

/** The parts of one turn's latency in whole ms; they add up to `total`. */
export interface TurnLatency {
  /** The turn's number, from 1. */
  readonly turn: number;
  readonly endpointing: number;
  /** Waiting for the final transcript after that. */
  readonly stt: number;
  /** Searching the knowledge base. */
  readonly knowledge: number;
  /** To the model's first token. */
  readonly llm: number;
  /** From there to the first words that can be spoken by themselves. */
  readonly chunk: number;
  /** To the voice's first sample. */
  readonly tts: number;
  /** To that sample as the client plays it. */
  readonly playout: number;
  /** Last user sample → first agent sample as played. */
  readonly total: number;
}

/** A turn as it was heard. Times are ms from the call's start. */
export interface LoggedTurn {
  readonly index: number;
  readonly role: 'user' | 'agent';
  readonly text: string;
  readonly cut: boolean;
  readonly startMs: number;
  readonly endMs: number;
  readonly latency?: TurnLatency;
}

/**
 * The call's record. What a method has acknowledged is durable. Methods may be called in any order
 * of completion; a turn is written again under its index when it changes (what was heard of it).
 */
export interface CallLog {
  /** Media is connected. */
  started(): Promise<void>;
  turn(turn: LoggedTurn): Promise<void>;
  /** Idempotent: the first reason stands. */
  ended(reason: EndedReason): Promise<void>;
}
