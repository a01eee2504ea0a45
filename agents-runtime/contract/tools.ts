import type { EndedReason } from './call-log.js';
import type { ToolKind } from './tool-kind.js';

/** A model asks for a tool. */
export interface ToolCall {
  readonly type: 'tool-call';
  /** The model's own name for this call. */
  readonly id: string;
  readonly name: string;
  /** As the model wrote them: JSON, or not. */
  readonly arguments: string;
}

/** A tool as the model is told of it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** A sync tool holds the turn; an async one is only accepted, and its result is context. */
  readonly mode: 'sync' | 'async';
  /** It has failed when it has brought nothing by then. */
  readonly timeoutMs: number;
  /** For the call's record; a webhook where it is left out. */
  readonly kind?: ToolKind;
}

/** What a tool brought. */
export interface ToolOutcome {
  /** For the model; may be an account of what went wrong. */
  readonly text: string;
  /** It did not do what was asked; `text` says why. */
  readonly failed?: boolean;
  /** The agent says nothing more and yields the floor. */
  readonly skips?: boolean;
  /** What follows is in another language. */
  readonly changes?: boolean;
  /** The call ends, for this reason, as soon as what was said has been played. */
  readonly ends?: EndedReason;
}

/** The tools of one call. Who implements it bounds sizes and keeps its own secrets. */
export interface Tools {
  /** May change while the call runs. */
  readonly specs: readonly ToolSpec[];
  /** What is wrong with the arguments, for the model; undefined when nothing is. */
  problemWith?(name: string, args: Readonly<Record<string, unknown>>): Promise<string | undefined>;
  /** @param signal fires when the tool has timed out or the call has ended. */
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ToolOutcome>;
}
