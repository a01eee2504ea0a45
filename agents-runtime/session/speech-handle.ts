import type { TurnLatency, TurnProviders } from '../contract/call-log.js';
import type { Clock } from '../contract/clock.js';
import type { KnowledgeSource } from '../contract/knowledge.js';
import type { HistoryItem } from '../contract/language-model.js';
import type { Playout } from '../output/playout.js';
import type { SpokenChunk } from '../output/spoken-text-alignment.js';
import type {
  HeardSpeech,
  UtteranceListener,
  UtterancePlayout,
} from '../output/utterance-playout.js';
import { type ReplyTimestamps, type TurnTimestamps, turnLatency } from './turn-latency.js';

/** What a reply is generated from. */
export interface ReplyRequest {
  /** The caller's turn; undefined for a reply to the results of tools. */
  readonly text: string | undefined;
  /** The conversation before that turn. */
  readonly history: readonly HistoryItem[];
  /** ISO 639-1. */
  readonly language: string;
}

/** The caller's turn that an utterance answers. */
export interface AnsweredTurn {
  /** Number of the turn, from 1. */
  readonly turn: number;
  readonly timestamps: TurnTimestamps;
}

/** Receives the progress of the agent's utterances. */
interface SpeechListener {
  started(speech: SpeechHandle): void;
  stalled(speech: SpeechHandle): void;
  /** All text that is being spoken so far, each time it grows. */
  text(speech: SpeechHandle, text: string): void;
  audible(speech: SpeechHandle): void;
  finished(speech: SpeechHandle, heard: HeardSpeech): void;
}

export interface SpeechHandleOptions {
  readonly utterance: number;
  /** Undefined for a fixed text. */
  readonly request?: ReplyRequest;
  readonly clock: Clock;
  /** Clock time of call time zero, ms. */
  readonly startedAt: number;
  readonly playout: Playout;
  readonly listener: SpeechListener;
}

/** `prepared`: until `commit`; fixed texts are committed at once. `interrupted`: by the caller. */
type SpeechState = 'prepared' | 'committed' | 'playing' | 'interrupted' | 'finished';

/** One utterance of the agent: its generation, its playout, and the data for the call's record. */
export class SpeechHandle implements UtteranceListener {
  readonly utterance: number;
  /** Ids of the LLMs and voices, in the order of their use. */
  readonly models = new Set<string>();
  readonly voices = new Set<string>();
  /** Passages of the knowledge base that the reply is based on. */
  sources: readonly KnowledgeSource[] = [];
  isToolRunning = false;
  /** Resolves at `commit`. Tools run only after that. */
  readonly committed: Promise<void>;
  readonly #options: SpeechHandleOptions;
  readonly #work = new AbortController();
  readonly #timestamps: { -readonly [Step in keyof ReplyTimestamps]?: number | undefined } = {};
  #state: SpeechState = 'prepared';
  #resolveCommitted: () => void = () => undefined;
  #playout: UtterancePlayout | undefined;
  #answered: AnsweredTurn | undefined;
  #startMs = 0;
  #audibleAt: number | undefined;

  constructor(options: SpeechHandleOptions) {
    this.#options = options;
    this.utterance = options.utterance;
    this.committed = new Promise((resolve) => {
      this.#resolveCommitted = resolve;
    });
  }

  get state(): SpeechState {
    return this.#state;
  }

  /** Aborted when the utterance is interrupted or replaced. */
  get signal(): AbortSignal {
    return this.#work.signal;
  }

  /** Start of the utterance, ms of call time: of its first audible sample once known. */
  get startMs(): number {
    return this.#startMs;
  }

  /** How long the caller has been waiting in silence for this utterance, ms. */
  get quietMs(): number {
    return this.#playout?.quietMs(this.#options.clock.now()) ?? 0;
  }

  /** Undefined before the first audible sample, and for utterances that answer no turn. */
  get latency(): TurnLatency | undefined {
    if (!this.#answered || this.#audibleAt === undefined) return undefined;
    const { turn, timestamps } = this.#answered;
    return turnLatency(turn, timestamps, this.#timestamps, this.#audibleAt);
  }

  get providers(): TurnProviders {
    return {
      ...(this.models.size > 0 && { models: [...this.models] }),
      ...(this.voices.size > 0 && { voices: [...this.voices] }),
    };
  }

  /** Whether it is a reply to the same words after the same conversation, in the same language. */
  matches({ text, history, language }: ReplyRequest): boolean {
    const { request } = this.#options;
    if (!request) return false;
    const isSameContext =
      request.history.length === history.length && request.language === language;
    return isSameContext && (request.text ?? '') === (text ?? '');
  }

  /** Records when a step of the generation happened first. */
  mark(step: keyof ReplyTimestamps): void {
    this.#timestamps[step] ??= this.#options.clock.now();
  }

  /** Starts generation. The audio is buffered until `commit`. */
  generate(audio: AsyncGenerator<SpokenChunk>): void {
    this.#playout = this.#options.playout.buffer(audio, this);
  }

  /** Starts playout, and lets tools run. */
  commit(answered?: AnsweredTurn): void {
    this.#state = 'committed';
    this.#answered = answered;
    this.#startMs = this.#nowMs;
    this.#resolveCommitted();
    if (this.#playout) this.#options.playout.release(this.#playout);
  }

  /** Stops playout and generation. @returns the part heard; undefined if the utterance has ended. */
  interrupt(): HeardSpeech | undefined {
    const heard = this.#playout && this.#options.playout.cut(this.#playout);
    if (heard) this.#state = 'interrupted';
    this.stop();
    return heard;
  }

  /** Drops an utterance that was not committed. */
  discard(): void {
    this.stop();
    if (this.#playout) this.#options.playout.discard(this.#playout);
  }

  /** Aborts generation. */
  stop(): void {
    this.#work.abort();
  }

  started(): void {
    if (this.#state === 'committed') {
      this.#state = 'playing';
      this.#startMs = this.#nowMs;
    }
    this.#options.listener.started(this);
  }

  stalled(): void {
    this.#options.listener.stalled(this);
  }

  text(text: string): void {
    this.#options.listener.text(this, text);
  }

  audible(audibleAt: number): void {
    this.#audibleAt = audibleAt;
    this.#startMs = audibleAt - this.#options.startedAt;
    this.#options.listener.audible(this);
  }

  finished(heard: HeardSpeech): void {
    this.#state = 'finished';
    this.#options.listener.finished(this, heard);
  }

  get #nowMs(): number {
    return this.#options.clock.now() - this.#options.startedAt;
  }
}
