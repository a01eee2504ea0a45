import type { EndedReason } from './ended-reason.js';

/** Where a tool runs: in the call itself (`call`), or outside. */
export type ToolKind = 'call' | 'webhook' | 'mcp' | 'managed';

/** A tool call of an LLM. */
export interface ToolCall {
  readonly type: 'tool-call';
  /** The id that the LLM gave this call. */
  readonly id: string;
  readonly name: string;
  /** As generated: JSON if the LLM made no mistake. */
  readonly arguments: string;
}

/** A tool as described to the LLM. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** `sync`: the reply waits for the result. `async`: the reply continues; the result becomes context. */
  readonly mode: 'sync' | 'async';
  /** Timeout in milliseconds. */
  readonly timeoutMs: number;
  /** For the call record. Default: `webhook`. */
  readonly kind?: ToolKind;
}

/** The result of a tool. */
export interface ToolOutcome {
  /** For the LLM: the result, or a description of the failure. */
  readonly text: string;
  /** The tool failed; `text` says why. */
  readonly failed?: boolean;
  /** The agent ends its turn without another word. */
  readonly skipsTurn?: boolean;
  /** The reply continues in another language. */
  readonly changesLanguage?: boolean;
  /** The call ends for this reason once the reply has been played. */
  readonly ends?: EndedReason;
}

/** The port for the tools of one call. Implementations limit the size of results. */
export interface Tools {
  /** May change during the call. */
  readonly specs: readonly ToolSpec[];
  /** Validates the arguments. Resolves with a description of the error for the LLM, or undefined. */
  problemWith?(name: string, args: Readonly<Record<string, unknown>>): Promise<string | undefined>;
  /** @param signal - aborted when the tool times out or the call ends */
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ToolOutcome>;
}
