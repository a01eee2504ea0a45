import type { KnowledgeSource } from './knowledge.js';
import type { ToolKind } from './tool-kind.js';

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

/** A tool that was asked for, once it was over. Texts are the beginning of longer ones. */
export interface LoggedTool {
  readonly name: string;
  readonly kind: ToolKind;
  /** As the model wrote them: JSON, or not. */
  readonly arguments: string;
  /** What the model was told. */
  readonly result: string;
  /** From the call's start. */
  readonly startedMs: number;
  readonly durationMs: number;
  /** `refused`: it never ran; `cancelled`: the call ended first. */
  readonly outcome: 'ok' | 'failed' | 'refused' | 'timeout' | 'cancelled';
}

/** Who made a turn, by their ids, in the order in which they came in: a second one took over. */
export interface TurnProviders {
  /** Of the caller's turn, if it was spoken. */
  readonly recognisers?: readonly string[];
  /** Of the agent's turn, unless its words stood fast. */
  readonly models?: readonly string[];
  readonly voices?: readonly string[];
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
  /** Tools that were over when this was said, and after the turn before; by their start. */
  readonly tools?: readonly LoggedTool[];
  /** What of the knowledge base it was made from. */
  readonly sources?: readonly KnowledgeSource[];
  readonly providers?: TurnProviders;
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
