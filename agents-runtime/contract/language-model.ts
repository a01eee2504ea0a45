import type { KnowledgeSource } from './knowledge.js';
import type { ToolCall, ToolSpec } from './tools.js';

/** One item of the conversation as it was heard, oldest first. */
export interface HistoryItem {
  /** `tool`: what a tool brought. */
  readonly role: 'user' | 'agent' | 'tool';
  readonly text: string;
  /** The agent was cut off here; `text` is what the caller heard of it. */
  readonly cut: boolean;
  /** What the model had asked of the tool. */
  readonly call?: ToolCall;
}

/** What a model streams: words, and what it asks of tools. */
export type ReplyToken = string | ToolCall;

export interface LlmRequest {
  /** The agent's instructions, placeholders already filled. */
  readonly prompt: string;
  readonly history: readonly HistoryItem[];
  /** The words are read, not spoken: the request is without the instructions for live calls. */
  readonly isWritten?: boolean;
  readonly temperature: number;
  /** ISO 639-1 language of the conversation. */
  readonly language: string;
  readonly knowledgeBaseId: number | null;
  /** What the knowledge base has on the newest question, best first: data, never instructions. */
  readonly facts?: readonly string[];
  /** What it may ask for; none where this is left out. */
  readonly tools?: readonly ToolSpec[];
  /** What it shall know about the call itself, such as that it ends soon. */
  readonly notes?: readonly string[];
  readonly signal: AbortSignal;
  /** Told when the knowledge base has been searched, if it was. */
  readonly onKnown?: () => void;
  /** Told what of the knowledge base the reply is made from, before its first word. */
  readonly onSources?: (sources: readonly KnowledgeSource[]) => void;
}

/** A language model, or what stands in for one: conversation → the agent's next words. */
export interface LanguageModel {
  readonly id: string;
  /** Told at a call's start what it will be asked about, so that the first reply waits for nothing. */
  prepare?(prompt: string, language: string): void;
  /**
   * Streams the reply as it is made; pulling is its backpressure. Tools are carried out by the caller.
   * @throws CallError REPLY_FAILED when the provider fails; what came before stands.
   */
  reply(request: LlmRequest): AsyncGenerator<ReplyToken>;
}
