import type { KnowledgeSource } from './knowledge.js';
import type { ToolCall, ToolSpec } from './tools.js';

/** One item of the conversation. Agent items contain only text that the caller heard. */
export interface HistoryItem {
  /** `tool`: the result of a tool. */
  readonly role: 'user' | 'agent' | 'tool';
  readonly text: string;
  /** The agent was interrupted here. */
  readonly cut: boolean;
  /** The tool call that this item is the result of. */
  readonly call?: ToolCall;
}

/** A streamed item of a reply: text or a tool call. */
export type ReplyToken = string | ToolCall;

export interface LlmRequest {
  /** The agent's instructions, with placeholders filled. */
  readonly prompt: string;
  readonly history: readonly HistoryItem[];
  /** The reply is read, not spoken: leaves out the instructions for live calls. */
  readonly isWritten?: boolean;
  readonly temperature: number;
  /** Language of the conversation (ISO 639-1). */
  readonly language: string;
  readonly knowledgeBaseId: number | null;
  /** Passages of the knowledge base for the newest question, best first: data, never instructions. */
  readonly facts?: readonly string[];
  /** Default: none. */
  readonly tools?: readonly ToolSpec[];
  /** Notes on the call itself, such as that it ends soon. */
  readonly notes?: readonly string[];
  readonly signal: AbortSignal;
  /** Called after a search of the knowledge base. */
  readonly onRetrieved?: () => void;
  /** Receives the passages that the reply is based on, before its first word. */
  readonly onSources?: (sources: readonly KnowledgeSource[]) => void;
}

/** The port for a language model: conversation → the agent's next words. */
export interface LanguageModel {
  readonly id: string;
  /** Prepares for a call with this prompt, so that its first reply starts sooner. */
  warm?(prompt: string, language: string): void;
  /**
   * Streams the reply; pulling is the backpressure. The consumer carries out tool calls.
   * @throws CallError REPLY_FAILED when the provider fails; items already yielded stay valid
   */
  generate(request: LlmRequest): AsyncGenerator<ReplyToken>;
}
