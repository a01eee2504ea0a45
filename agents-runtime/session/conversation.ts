import type {
  CallLog,
  LoggedTool,
  LoggedTurn,
  TurnLatency,
  TurnProviders,
} from '../contract/call-log.js';
import type { KnowledgeSource } from '../contract/knowledge.js';
import type { HistoryItem } from '../contract/language-model.js';
import type { HeardSpeech } from '../output/utterance-playout.js';
import { wholeCallMs } from './call-time.js';

/** Times in ms of call time. */
interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** The record's data on the generation of an utterance. */
export interface GenerationRecord {
  readonly latency: TurnLatency | undefined;
  readonly sources: readonly KnowledgeSource[];
  readonly providers: TurnProviders;
}

/** Recorded tools of one turn. */
const MAX_TOOLS = 64;

/**
 * The conversation as far as each side heard it: the LLM's context and the call's record have the same
 * items. Writing the record does not delay the call.
 */
export class Conversation {
  readonly #log: CallLog;
  readonly #onFault: (error: unknown) => void;
  readonly #items: HistoryItem[] = [];
  #turns = 0;
  #lastUser: LoggedTurn | undefined;
  #lastTurn: LoggedTurn | undefined;
  /** Tools since the last turn. */
  #tools: LoggedTool[] = [];
  #writes: Promise<void> = Promise.resolve();

  constructor(log: CallLog, onFault: (error: unknown) => void) {
    this.#log = log;
    this.#onFault = onFault;
  }

  /** The media connection is open. Call it first: writes are stored in the order of their calls. */
  begin(): void {
    this.#write(() => this.#log.started());
  }

  get history(): readonly HistoryItem[] {
    return this.#items;
  }

  /** Adds a turn of the caller. `replaces`: it takes the place of the turn before, which got no audible answer. */
  addUserTurn(
    text: string,
    { startMs, endMs }: Span,
    {
      replaces,
      recognisers,
    }: { readonly replaces: boolean; readonly recognisers: readonly string[] },
  ): void {
    const replaced = replaces ? this.#lastUser : undefined;
    if (!replaced) this.#recordToolsWithLastTurn();
    if (replaced) this.#items.splice(0, this.#items.length, ...withoutLastTurn(this.#items));
    this.#items.push({ role: 'user', text, cut: false });
    const recognisedBy = [
      ...new Set([...(replaced?.providers?.recognisers ?? []), ...recognisers]),
    ];
    const turn: LoggedTurn = {
      index: replaced?.index ?? this.#turns++,
      role: 'user',
      text,
      cut: false,
      startMs: replaced?.startMs ?? wholeCallMs(startMs),
      endMs: wholeCallMs(endMs),
      ...(replaced?.tools && { tools: replaced.tools }),
      ...(recognisedBy.length > 0 && { providers: { recognisers: recognisedBy } }),
    };
    this.#lastUser = turn;
    this.#writeTurn(turn);
  }

  /** Adds a tool's result to the LLM's context. */
  addToolResult(item: HistoryItem): void {
    this.#items.push(item);
  }

  /** Records a tool that has ended, with the next turn. */
  recordTool(tool: LoggedTool): void {
    if (this.#tools.length < MAX_TOOLS) this.#tools.push(tool);
  }

  /** Adds the part of an utterance that was heard, if any. */
  addAgentTurn(
    { text, cut }: HeardSpeech,
    { startMs, endMs }: Span,
    { latency, sources, providers }: GenerationRecord,
  ): void {
    if (!text) return;
    this.#items.push({ role: 'agent', text, cut });
    const tools = this.#takeTools();
    this.#writeTurn({
      index: this.#turns++,
      role: 'agent',
      text,
      cut,
      startMs: wholeCallMs(startMs),
      endMs: wholeCallMs(endMs),
      ...(latency && { latency }),
      ...(tools.length > 0 && { tools }),
      ...(sources.length > 0 && { sources }),
      ...(Object.keys(providers).length > 0 && { providers }),
    });
  }

  /** Ends the conversation. Resolves when the record is written. */
  end(): Promise<void> {
    this.#recordToolsWithLastTurn();
    return this.#writes;
  }

  /** Records tools without a later turn with the last turn. */
  #recordToolsWithLastTurn(): void {
    const tools = this.#takeTools();
    if (!this.#lastTurn || tools.length === 0) return;
    const all = [...(this.#lastTurn.tools ?? []), ...tools].slice(0, MAX_TOOLS);
    this.#writeTurn({ ...this.#lastTurn, tools: all });
  }

  #takeTools(): readonly LoggedTool[] {
    const tools = this.#tools.sort((a, b) => a.startedMs - b.startedMs);
    this.#tools = [];
    return tools;
  }

  #writeTurn(turn: LoggedTurn): void {
    this.#lastTurn = turn;
    this.#write(() => this.#log.turn(turn));
  }

  #write(write: () => Promise<void>): void {
    this.#writes = this.#writes.then(write).catch(this.#onFault);
  }
}

/** The items without the caller's newest turn, if it has no answer. Results of tools stay. */
export function withoutLastTurn(items: readonly HistoryItem[]): HistoryItem[] {
  const at = items.findLastIndex(({ role }) => role !== 'tool');
  return items[at]?.role === 'user' ? items.toSpliced(at, 1) : [...items];
}
