import type { HistoryItem } from '../agent/reply-model.js';
import type { Spoken } from '../audio/playout-line.js';
import type { CallLog, LoggedTurn, TurnLatency } from './call-log.js';

/** Times in ms of call time. */
interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * What has been said, as it was heard: the model's context and the call's record are the same items.
 * Writing the record never delays the conversation.
 */
export class Conversation {
  readonly #log: CallLog;
  readonly #onFault: (error: unknown) => void;
  readonly #items: HistoryItem[] = [];
  #turns = 0;
  #lastUser: LoggedTurn | undefined;
  #writes: Promise<void> = Promise.resolve();

  constructor(log: CallLog, onFault: (error: unknown) => void) {
    this.#log = log;
    this.#onFault = onFault;
  }

  /** Media is connected: written before all else, so that the record's end never overtakes its beginning. */
  begin(): void {
    this.#write(() => this.#log.started());
  }

  get history(): readonly HistoryItem[] {
    return this.#items;
  }

  /** @param replaces the turn before got no sound in answer: this text takes its place. */
  user(text: string, { startMs, endMs }: Span, replaces: boolean): void {
    const before = replaces ? this.#lastUser : undefined;
    if (before) this.#items.splice(0, this.#items.length, ...withoutLastTurn(this.#items));
    this.#items.push({ role: 'user', text, cut: false });
    const turn: LoggedTurn = {
      index: before?.index ?? this.#turns++,
      role: 'user',
      text,
      cut: false,
      startMs: before?.startMs ?? startMs,
      endMs,
    };
    this.#lastUser = turn;
    this.#write(() => this.#log.turn(turn));
  }

  /** What a tool brought: context, and no part of what was said. */
  tool(item: HistoryItem): void {
    this.#items.push(item);
  }

  /** Nothing is remembered of an utterance of which nothing was heard. */
  agent({ text, cut }: Spoken, { startMs, endMs }: Span, latency: TurnLatency | undefined): void {
    if (!text) return;
    this.#items.push({ role: 'agent', text, cut });
    const index = this.#turns++;
    const turn: LoggedTurn = { index, role: 'agent', text, cut, startMs, endMs };
    this.#write(() => this.#log.turn(latency ? { ...turn, latency } : turn));
  }

  /** Resolves when all that was said is written. */
  written(): Promise<void> {
    return this.#writes;
  }

  #write(act: () => Promise<void>): void {
    this.#writes = this.#writes.then(act).catch(this.#onFault);
  }
}

/** The talk without the caller's newest turn, if nothing was said in answer to it; tools' results stay. */
export function withoutLastTurn(items: readonly HistoryItem[]): HistoryItem[] {
  const at = items.findLastIndex(({ role }) => role !== 'tool');
  return items[at]?.role === 'user' ? items.toSpliced(at, 1) : [...items];
}
