import type { TextToSpeech } from '../../media/tts/text-to-speech.js';
import type { TurnProviders } from '../contract/call-log.js';
import type { EndedReason } from '../contract/ended-reason.js';
import type { KnowledgeSource } from '../contract/knowledge.js';
import type { HistoryItem } from '../contract/language-model.js';
import type { Playout } from '../output/playout.js';
import { speakFixedText } from '../output/speech-cache.js';
import {
  fixedTextTokens,
  synthesiseReply,
  type TtsSettings,
  ttsSettingsOf,
} from '../output/tts-pipeline.js';
import { withFillers } from '../reply/fillers.js';
import { guardReply } from '../reply/reply-guard.js';
import type { ToolExecutor } from '../reply/tool-executor.js';
import { runToolLoop } from '../reply/tool-loop.js';
import type { CallDependencies } from './call-dependencies.js';
import type { CallLanguage } from './call-language.js';
import { type PreparedReply, preparedReply, providersOf } from './speech-handle.js';
import type { ReplyTimestamps } from './turn-latency.js';

/** Time limit of an apology's audio in milliseconds: the caller has waited already. */
const APOLOGY_MS = 2_500;
/** Replies that are made ahead of a turn's commit, at most. Source: conversation design, reply. */
const MAX_TRIES = 3;

export interface ReplyGeneratorListener {
  /** The utterance only says that no model could answer. */
  failed(utterance: number): void;
  /** The call ends when the utterance has been played. */
  ending(utterance: number, reason: EndedReason): void;
}

/** What a reply answers: the talk before it, and the caller's newest words if there are any. */
export interface ReplyRequest {
  readonly text: string | undefined;
  readonly before: readonly HistoryItem[];
}

/** The call's parts, and the language that it is in now. */
type ReplyGeneratorDependencies = Omit<CallDependencies, 'voice'> & {
  readonly language: CallLanguage;
};

/** Makes what the agent says: a reply ahead of its commit or at it, or a fixed text; one at a time. */
export class ReplyGenerator {
  readonly #parts: ReplyGeneratorDependencies;
  readonly #playout: Playout;
  readonly #tools: ToolExecutor;
  readonly #listener: ReplyGeneratorListener;
  readonly #notes: string[] = [];
  #current: PreparedReply | undefined;
  #isReleased = false;
  /** The utterance that replies have been made ahead for, and how many. */
  #tries = { utterance: 0, made: 0 };

  constructor(
    parts: ReplyGeneratorDependencies,
    playout: Playout,
    tools: ToolExecutor,
    listener: ReplyGeneratorListener,
  ) {
    this.#parts = parts;
    this.#playout = playout;
    this.#tools = tools;
    this.#listener = listener;
  }

  /** When the steps of making the utterance happened, as far as they have. */
  marksOf(utterance: number): Partial<ReplyTimestamps> {
    return this.#current?.utterance === utterance ? this.#current.marks : {};
  }

  /** What of the knowledge base the utterance is made from. */
  sourcesOf(utterance: number): readonly KnowledgeSource[] {
    return this.#current?.utterance === utterance ? this.#current.sources : [];
  }

  /** Who wrote and who spoke the utterance, as far as it is made. */
  providersOf(utterance: number): TurnProviders {
    return this.#current?.utterance === utterance ? providersOf(this.#current) : {};
  }

  /** The model is told this with every reply from now on. */
  note(text: string): void {
    this.#notes.push(text);
  }

  /** Starts a reply that stays silent, and without effects, until `commit` asks for the same. */
  prepare(utterance: number, asked: ReplyRequest): void {
    if (this.#isPrepared(utterance, asked)) return;
    if (this.#tries.utterance !== utterance) this.#tries = { utterance, made: 0 };
    if (this.#tries.made >= MAX_TRIES) {
      this.dropPrepared();
      return;
    }
    this.#tries.made++;
    this.#make(utterance, asked);
  }

  /** Lets the reply be heard; the one made ahead if it answers the same. */
  commit(utterance: number, asked: ReplyRequest): void {
    if (!this.#isPrepared(utterance, asked)) this.#make(utterance, asked);
    this.#current?.commit();
    this.#release(utterance);
  }

  /** Says a fixed text, which may have been spoken ahead. */
  say(utterance: number, text: string, isApology: boolean): void {
    const current = this.#begin(utterance, text, () => undefined);
    const speech = speakFixedText(this.#parts.greetings, text, {
      ...this.#live(current),
      maxWaitMs: isApology ? APOLOGY_MS : undefined,
    });
    this.#playout.prepare(utterance, speech);
    this.#release(utterance);
  }

  /** Says a text that nobody knew before; it is not kept. */
  dictate(utterance: number, text: string): void {
    const current = this.#begin(utterance, text, () => undefined);
    this.#playout.prepare(utterance, synthesiseReply(fixedTextTokens(text), this.#live(current)));
    this.#release(utterance);
  }

  /** Forgets a reply that was made ahead and not committed. */
  dropPrepared(): void {
    if (this.#isReleased) return;
    this.stop();
    this.#playout.discard();
  }

  /** Stops making whatever is being made. */
  stop(): void {
    this.#current?.work.abort();
    this.#current = undefined;
  }

  #isPrepared(utterance: number, asked: ReplyRequest): boolean {
    return this.#current?.utterance === utterance && this.#current.key === this.#keyOf(asked);
  }

  /** Two replies are the same when they answer the same words after the same talk, in one language. */
  #keyOf({ text, before }: ReplyRequest): string {
    return `${this.#parts.language.language} ${before.length} ${text ?? ''}`;
  }

  #make(utterance: number, asked: ReplyRequest): void {
    let commit: () => void = () => undefined;
    const committed = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const current = this.#begin(utterance, this.#keyOf(asked), commit);
    const tokens = this.#tokens(current, asked, committed);
    const speech = synthesiseReply(tokens, {
      ...this.#live(current),
      onFirstToken: () => this.#mark(current, 'firstTokenAt'),
      onFirstChunk: () => this.#mark(current, 'firstChunkAt'),
      onFirstAudio: () => this.#mark(current, 'firstAudioAt'),
    });
    this.#playout.prepare(utterance, speech);
  }

  /** The model's words, from the inside out: steps, a sure end, and no silence. */
  #tokens(current: PreparedReply, { text, before }: ReplyRequest, committed: Promise<void>) {
    const { config, clock, languageModel, fallbackModels = [], onFault } = this.#parts;
    const { utterance, work } = current;
    const { language } = this.#manner();
    const timeout = { clock, signal: work.signal };
    const onReplyFault = (error: unknown) => onFault('reply', error);
    const steps = runToolLoop(
      {
        prompt: config.prompt,
        history: text === undefined ? before : [...before, { role: 'user', text, cut: false }],
        temperature: config.llmTemperature,
        language,
        knowledgeBaseId: config.knowledgeBaseId,
        onKnown: () => this.#mark(current, 'knownAt'),
        onSources: (sources) => {
          current.sources = sources;
        },
        ...(this.#notes.length > 0 && { notes: [...this.#notes] }),
      },
      {
        ...timeout,
        models: [languageModel, ...fallbackModels],
        // A report that has nothing to tell may stay silent.
        mayBeEmpty: text === undefined,
        tools: this.#tools,
        committed,
        onTools: (areRunning) => {
          current.isToolRunning = areRunning;
        },
        onEnding: (reason) => this.#listener.ending(utterance, reason),
        onFault: onReplyFault,
        onAnswering: ({ id }) => current.models.add(id),
      },
    );
    const guarded = guardReply(steps, {
      language,
      signal: work.signal,
      onFault: onReplyFault,
      onApology: () => this.#listener.failed(utterance),
    });
    return withFillers(guarded, {
      ...timeout,
      language,
      quietMs: () => this.#playout.quietMs,
      isToolRunning: () => current.isToolRunning,
    });
  }

  #begin(utterance: number, key: string, commit: () => void): PreparedReply {
    this.stop();
    const current = preparedReply(utterance, key, commit);
    this.#current = current;
    this.#isReleased = false;
    return current;
  }

  #mark({ marks }: PreparedReply, step: keyof ReplyTimestamps): void {
    marks[step] ??= this.#parts.clock.now();
  }

  #release(utterance: number): void {
    this.#isReleased = true;
    this.#playout.release(utterance);
  }

  #manner(): TtsSettings {
    const { config, language, dictionary, transport } = this.#parts;
    const manner = ttsSettingsOf(config, language.voice, transport.sampleRate);
    return { ...manner, language: language.language, dictionary };
  }

  /** Those of a call whose language is found out may be of another one. */
  get #fallbackVoices(): readonly TextToSpeech[] {
    const { fallbackVoices = [], findVoice, language } = this.#parts;
    if (!findVoice) return fallbackVoices;
    return fallbackVoices.filter(({ languages }) => languages.includes(language.language));
  }

  /** How a reply is spoken: by a voice that may fail. */
  #live({ work: { signal }, voices }: PreparedReply) {
    const { clock, onFault } = this.#parts;
    const onVoiceFault = (error: unknown) => onFault('speech', error);
    const currentSettings = () => ({ ...this.#manner(), fallbackVoices: this.#fallbackVoices });
    const onVoice = ({ id }: TextToSpeech) => voices.add(id);
    const quietMs = () => this.#playout.quietMs;
    return { ...currentSettings(), currentSettings, signal, clock, quietMs, onVoiceFault, onVoice };
  }
}
