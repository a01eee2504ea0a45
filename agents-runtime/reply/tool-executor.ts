import type { Clock } from '../contract/clock.js';
import type { HistoryItem } from '../contract/language-model.js';
import type { ToolCall, ToolKind, ToolOutcome, ToolSpec, Tools } from '../contract/tools.js';

/** UTF-16 units. The model receives the beginning of a longer result. */
const MAX_RESULT = 16_000;
/** UTF-16 units. A call with longer arguments is refused. */
const MAX_ARGUMENTS = 16_000;

export interface ToolExecutorListener {
  /** A synchronous tool starts to run. */
  started(): void;
  /** A synchronous tool has ended. @param isReplyCut - the reply that called it was interrupted */
  ended(isReplyCut: boolean): void;
  /** Adds a tool's result to the conversation. */
  remember(item: HistoryItem): void;
  /** A tool call has ended or was refused. Called once for each tool call. */
  toolCallEnded(tool: ExecutedTool): void;
  onFault(error: unknown): void;
}

/** A tool call with its result. */
export interface ExecutedTool {
  readonly call: ToolCall;
  readonly kind: ToolKind;
  readonly startedAt: number;
  readonly text: string;
  readonly status: 'ok' | 'failed' | 'refused' | 'timeout' | 'cancelled';
}

interface Running {
  readonly call: ToolCall;
  readonly kind: ToolKind;
  readonly startedAt: number;
  readonly controller: AbortController;
}

/** A tool with its arguments, or the reason for the model why the call is invalid. */
type CheckedCall =
  | { readonly spec: ToolSpec; readonly args: Readonly<Record<string, unknown>> }
  | { readonly refusal: string };

const OVER = 'Error: the call is over.';

/**
 * Runs the tools of a call. A tool continues when its reply is interrupted, and its result is added to the
 * conversation.
 */
export class ToolExecutor {
  readonly #tools: Tools;
  readonly #clock: Clock;
  readonly #listener: ToolExecutorListener;
  readonly #running = new Set<Running>();
  #isClosed = false;

  constructor(tools: Tools, clock: Clock, listener: ToolExecutorListener) {
    this.#tools = tools;
    this.#clock = clock;
    this.#listener = listener;
  }

  get specs(): Tools['specs'] {
    return this.#tools.specs;
  }

  /**
   * Runs a tool and adds its result to the conversation. Never rejects: a fault is a result, too.
   * @param reply - fires when the reply that called the tool is interrupted
   */
  async run(call: ToolCall, reply: AbortSignal): Promise<ToolOutcome> {
    const checked = await this.#checked(call);
    if ('refusal' in checked) {
      this.#reportUnrun(call, checked.refusal, 'refused');
      return this.#keep(call, { text: checked.refusal });
    }
    if (this.#isClosed) {
      this.#reportUnrun(call, OVER, 'cancelled');
      return this.#keep(call, { text: OVER, failed: true });
    }
    const { spec, args } = checked;
    if (spec.mode === 'async') {
      this.#runWithTimeout(call, args, spec)
        .then((outcome) => this.#keep({ ...call, id: `${call.id}-result` }, outcome))
        .catch((error: unknown) => this.#listener.onFault(error));
      return this.#keep(call, { text: 'Accepted: it runs in the background.' });
    }
    this.#listener.started();
    const outcome = this.#keep(call, await this.#runWithTimeout(call, args, spec));
    this.#listener.ended(reply.aborted);
    return outcome;
  }

  /** Aborts all tools. Their results are dropped. */
  close(): void {
    this.#isClosed = true;
    for (const running of [...this.#running]) {
      this.#report(running, OVER, 'cancelled');
      running.controller.abort();
    }
  }

  /** Runs a tool within its timeout. Never rejects. */
  async #runWithTimeout(
    call: ToolCall,
    args: Readonly<Record<string, unknown>>,
    { timeoutMs, kind = 'webhook' }: ToolSpec,
  ): Promise<ToolOutcome> {
    const controller = new AbortController();
    const running: Running = { call, kind, startedAt: this.#clock.now(), controller };
    this.#running.add(running);
    let giveUp: (outcome: ToolOutcome) => void = () => undefined;
    const late = new Promise<ToolOutcome>((resolve) => {
      giveUp = resolve;
    });
    const end = (text: string, status: ExecutedTool['status']) => {
      this.#report(running, text, status);
      giveUp({ text, failed: true });
    };
    const timer = this.#clock.after(timeoutMs, () => {
      end('Error: the tool did not answer in time.', 'timeout');
      controller.abort();
    });
    const stopped = () => end(OVER, 'cancelled');
    controller.signal.addEventListener('abort', stopped, { once: true });
    try {
      const outcome = await Promise.race([
        this.#tools.call(call.name, args, controller.signal),
        late,
      ]);
      this.#report(running, outcome.text, outcome.failed ? 'failed' : 'ok');
      return outcome;
    } catch (error) {
      this.#listener.onFault(error);
      const text = 'Error: the tool failed.';
      this.#report(running, text, 'failed');
      return { text, failed: true };
    } finally {
      timer.cancel();
      controller.signal.removeEventListener('abort', stopped);
    }
  }

  /** Reports a tool call once: the first status counts. */
  #report(running: Running, text: string, status: ExecutedTool['status']): void {
    if (!this.#running.delete(running)) return;
    const { call, kind, startedAt } = running;
    this.#listener.toolCallEnded({ call, kind, startedAt, text, status });
  }

  #reportUnrun(call: ToolCall, text: string, status: ExecutedTool['status']): void {
    const kind = this.specs.find(({ name }) => name === call.name)?.kind ?? 'webhook';
    this.#listener.toolCallEnded({ call, kind, startedAt: this.#clock.now(), text, status });
  }

  #keep(call: ToolCall, outcome: ToolOutcome): ToolOutcome {
    const text = outcome.text.slice(0, MAX_RESULT);
    this.#listener.remember({ role: 'tool', text, cut: false, call });
    return { ...outcome, text };
  }

  /** Validates a tool call of the model. */
  async #checked({ name, arguments: written }: ToolCall): Promise<CheckedCall> {
    const spec = this.specs.find((each) => each.name === name);
    if (!spec) {
      const known = this.specs.map((each) => each.name).join(', ') || 'none';
      return { refusal: `Error: there is no tool of that name. The tools are: ${known}.` };
    }
    const args = written.length <= MAX_ARGUMENTS ? parsed(written) : undefined;
    if (args === undefined) return { refusal: 'Error: the arguments are not a JSON object.' };
    const problem = await this.#tools.problemWith?.(name, args);
    return problem === undefined ? { spec, args } : { refusal: `Error: ${problem}` };
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text || '{}');
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
