import type { Logger } from 'pino';
import { AccountQueue } from './account-queue.js';
import type { ValidationInput } from './validation-jobs.js';
import { ValidationThread } from './validation-thread.js';

/** For compiling a schema and checking arguments by it, patterns included. */
const VALIDATION_DEADLINE_MS = 50;
/** With one job of an account at a time, one account cannot delay another. */
const THREADS = 2;

/**
 * After a job that was late, the next one of its account waits this long: each late job costs a thread,
 * and starting threads without a pause would delay all calls.
 */
const PAUSE_AFTER_LATE_MS = 500;

const LATE =
  "the arguments could not be checked by the tool's schema in time; shorter values may help";
const UNCHECKED = "the arguments could not be checked by the tool's schema";

/** The tool and its owner. */
export interface ValidatedTool {
  readonly accountId: string;
  readonly agentId: string;
  readonly name: string;
}

interface Job {
  readonly tool: ValidatedTool;
  readonly input: ValidationInput;
  readonly resolve: (problem: string | undefined) => void;
}

/**
 * Validates arguments of tools by the JSON Schemas of their users, on threads that are terminated at
 * a deadline. Jobs run round robin over the accounts, one per account at a time.
 */
export class ArgumentValidator {
  readonly #log: Logger;
  readonly #deadlineMs: number;
  readonly #queue = new AccountQueue<Job>();
  readonly #threads = Array.from({ length: THREADS }, () => new ValidationThread());
  readonly #idle: ValidationThread[] = [...this.#threads];
  #isClosed = false;

  constructor(log: Logger, deadlineMs = VALIDATION_DEADLINE_MS) {
    this.#log = log;
    this.#deadlineMs = deadlineMs;
  }

  /** Starts the threads, which takes longer than a job. */
  warm(): void {
    if (this.#isClosed) return;
    for (const thread of this.#threads) void thread.warm();
  }

  /**
   * Resolves with the problem for the model; undefined if the arguments are valid or the schema is
   * unusable, for example because it does not compile in time. Arguments that cannot be checked in time
   * are refused, so that a caller cannot disable the check. Never rejects.
   */
  validate(tool: ValidatedTool, input: ValidationInput): Promise<string | undefined> {
    if (this.#isClosed) return Promise.resolve(UNCHECKED);
    return new Promise((resolve) => {
      this.#queue.add(tool.accountId, { tool, input, resolve });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { resolve } of this.#queue.clear()) resolve(UNCHECKED);
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #next(): void {
    const thread = this.#idle.pop();
    if (!thread) return;
    const job = this.#queue.take();
    if (!job) {
      this.#idle.push(thread);
      return;
    }
    void this.#run(thread, job).then(({ problem, isLate }) => {
      this.#idle.push(thread);
      job.resolve(problem);
      if (isLate) setTimeout(() => this.#release(job.tool), PAUSE_AFTER_LATE_MS).unref();
      else this.#release(job.tool);
      this.#next();
    });
    this.#next();
  }

  /** The next job of the account may start. */
  #release({ accountId }: ValidatedTool): void {
    this.#queue.release(accountId);
    this.#next();
  }

  async #run(
    thread: ValidationThread,
    { tool, input }: Job,
  ): Promise<{ readonly problem: string | undefined; readonly isLate: boolean }> {
    const of = { account: tool.accountId, agent: tool.agentId, tool: tool.name };
    try {
      const outcome = await thread.validate(input, this.#deadlineMs);
      if ('problem' in outcome) return { problem: outcome.problem, isLate: false };
      const line = { ...of, limitMs: this.#deadlineMs, while: outcome.late };
      this.#log.warn(
        line,
        'Cannot validate the arguments of a tool in time: the tool is not called',
      );
      return { problem: outcome.late === 'compiling' ? undefined : LATE, isLate: true };
    } catch (error) {
      if (!this.#isClosed)
        this.#log.warn(
          { ...of, err: error },
          'Cannot validate the arguments of a tool: the tool is not called',
        );
      return { problem: UNCHECKED, isLate: true };
    }
  }
}
