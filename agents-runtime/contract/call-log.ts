import type { EndedReason } from './ended-reason.js';
import type { KnowledgeSource } from './knowledge.js';
import type { ToolKind } from './tools.js';

/** The parts of one turn's latency, in whole ms. They add up to `total`. */
export interface TurnLatency {
  /** The turn's number, from 1. */
  readonly turn: number;
  readonly endpointing: number;
  /** Wait for the final transcript after that. */
  readonly stt: number;
  /** Search of the knowledge base. */
  readonly knowledge: number;
  /** To the LLM's first token. */
  readonly llm: number;
  /** To the first chunk of text for speech synthesis. */
  readonly chunk: number;
  /** To the first synthesised sample. */
  readonly tts: number;
  /** Until the client plays that sample. The client protocol and the database use this name. */
  readonly playout: number;
  /** From the caller's last sample of speech to the agent's first played sample. */
  readonly total: number;
}

/** A tool call that has ended. Long texts are truncated. */
export interface LoggedTool {
  readonly name: string;
  readonly kind: ToolKind;
  /** As generated: JSON if the LLM made no mistake. */
  readonly arguments: string;
  /** The text that the LLM received. */
  readonly result: string;
  /** Call time in ms. */
  readonly startedMs: number;
  readonly durationMs: number;
  /** `refused`: the tool did not run; `cancelled`: the call ended first. */
  readonly outcome: 'ok' | 'failed' | 'refused' | 'timeout' | 'cancelled';
}

/** Ids of the providers of a turn, in the order of their use: each after the first is a fallback. */
export interface TurnProviders {
  /** Speech recognition of a spoken turn of the caller. */
  readonly recognisers?: readonly string[];
  /** LLMs of a turn of the agent; none for fixed texts. */
  readonly models?: readonly string[];
  readonly voices?: readonly string[];
}

/** A turn of the record. Times are ms of call time. */
export interface LoggedTurn {
  readonly index: number;
  readonly role: 'user' | 'agent';
  readonly text: string;
  readonly cut: boolean;
  readonly startMs: number;
  readonly endMs: number;
  readonly latency?: TurnLatency;
  /** Tools that ended between the turn before and this one, ordered by their start. */
  readonly tools?: readonly LoggedTool[];
  /** Passages of the knowledge base that the reply is based on. */
  readonly sources?: readonly KnowledgeSource[];
  readonly providers?: TurnProviders;
}

/** The port for a call's record. Data is durable once the returned promise has resolved. */
export interface CallLog {
  /** The media connection is open. */
  started(): Promise<void>;
  /** Stores a turn, or replaces the one with the same index. */
  turn(turn: LoggedTurn): Promise<void>;
  /** Idempotent; the first reason counts. */
  ended(reason: EndedReason): Promise<void>;
}
