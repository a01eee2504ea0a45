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

/** How an utterance of the agent's came about. */
export interface Origin {
  readonly latency: TurnLatency | undefined;
  readonly sources: readonly KnowledgeSource[];
  readonly providers: TurnProviders;
}

/** Of the tools of one turn, so many are written down. */
const MAX_TOOLS = 64;

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
  #last: LoggedTurn | undefined;
  /** Of no turn yet. */
  #tools: LoggedTool[] = [];
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

  /** @param how `replaces`: the turn before got no sound in answer: this text takes its place. */
  user(
    text: string,
    { startMs, endMs }: Span,
    {
      replaces,
      recognisers,
    }: { readonly replaces: boolean; readonly recognisers: readonly string[] },
  ): void {
    const before = replaces ? this.#lastUser : undefined;
    if (!before) this.#giveToolsToLast();
    if (before) this.#items.splice(0, this.#items.length, ...withoutLastTurn(this.#items));
    this.#items.push({ role: 'user', text, cut: false });
    const recognisedBy = [...new Set([...(before?.providers?.recognisers ?? []), ...recognisers])];
    const turn: LoggedTurn = {
      index: before?.index ?? this.#turns++,
      role: 'user',
      text,
      cut: false,
      startMs: before?.startMs ?? wholeCallMs(startMs),
      endMs: wholeCallMs(endMs),
      ...(before?.tools && { tools: before.tools }),
      ...(recognisedBy.length > 0 && { providers: { recognisers: recognisedBy } }),
    };
    this.#lastUser = turn;
    this.#writeTurn(turn);
  }

  /** What a tool brought: context, and no part of what was said. */
  tool(item: HistoryItem): void {
    this.#items.push(item);
  }

  /** A tool is over: it belongs to what is said next. */
  ran(tool: LoggedTool): void {
    if (this.#tools.length < MAX_TOOLS) this.#tools.push(tool);
  }

  /** Nothing is remembered of an utterance of which nothing was heard. */
  agent(
    { text, cut }: HeardSpeech,
    { startMs, endMs }: Span,
    { latency, sources, providers }: Origin,
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

  /** Nothing more is said. Resolves when all is written. */
  end(): Promise<void> {
    this.#giveToolsToLast();
    return this.#writes;
  }

  /** Of tools after which nothing was said, the turn before tells. */
  #giveToolsToLast(): void {
    const tools = this.#takeTools();
    if (!this.#last || tools.length === 0) return;
    const all = [...(this.#last.tools ?? []), ...tools].slice(0, MAX_TOOLS);
    this.#writeTurn({ ...this.#last, tools: all });
  }

  #takeTools(): readonly LoggedTool[] {
    const tools = this.#tools.sort((a, b) => a.startedMs - b.startedMs);
    this.#tools = [];
    return tools;
  }

  #writeTurn(turn: LoggedTurn): void {
    this.#last = turn;
    this.#write(() => this.#log.turn(turn));
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
