import type { VoiceModel } from '../../media/tts/voice-model.js';
import type { CallLanguage } from '../agent/call-language.js';
import { withFillers } from '../agent/fillers.js';
import type { KnowledgeSource } from '../agent/knowledge.js';
import { guardReply } from '../agent/reply-guard.js';
import type { HistoryItem } from '../agent/reply-model.js';
import { replySteps } from '../agent/reply-steps.js';
import { voiceTimeoutMs } from '../agent/silence-budget.js';
import { fixedText, type Manner, mannerOf, speakReply } from '../agent/speech.js';
import type { ToolRuns } from '../agent/tool-runs.js';
import { LATE, within } from '../agent/within.js';
import type { SpokenPiece } from '../audio/heard-text.js';
import type { Playout } from '../audio/playout.js';
import { CallError } from '../errors.js';
import type { EndedReason, TurnProviders } from './call-log.js';
import type { CallParts } from './call-parts.js';
import { type PreparedReply, preparedReply, providersOf } from './prepared-reply.js';
import type { ReplyMarks } from './turn-latency.js';

/** An apology that has not begun to sound by then fails: the caller has waited already. */
const APOLOGY_MS = 2_500;
/** Replies that are made ahead of a turn's commit, at most. Source: conversation design, reply. */
const MOST_TRIES = 3;

export interface RepliesListener {
  /** The utterance only says that no model could answer. */
  failed(utterance: number): void;
  /** The call ends when the utterance has been played. */
  ending(utterance: number, reason: EndedReason): void;
}

/** What a reply answers: the talk before it, and the caller's newest words if there are any. */
export interface Asked {
  readonly text: string | undefined;
  readonly before: readonly HistoryItem[];
}

/** The call's parts, and the language that it is in now. */
type RepliesParts = Omit<CallParts, 'voice'> & { readonly language: CallLanguage };

/** Makes what the agent says: a reply ahead of its commit or at it, or a fixed text; one at a time. */
export class Replies {
  readonly #parts: RepliesParts;
  readonly #playout: Playout;
  readonly #tools: ToolRuns;
  readonly #listener: RepliesListener;
  readonly #notes: string[] = [];
  #current: PreparedReply | undefined;
  #isReleased = false;
  /** The utterance that replies have been made ahead for, and how many. */
  #tries = { utterance: 0, made: 0 };

  constructor(parts: RepliesParts, playout: Playout, tools: ToolRuns, listener: RepliesListener) {
    this.#parts = parts;
    this.#playout = playout;
    this.#tools = tools;
    this.#listener = listener;
  }

  /** When the steps of making the utterance happened, as far as they have. */
  marksOf(utterance: number): Partial<ReplyMarks> {
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
  prepare(utterance: number, asked: Asked): void {
    if (this.#isPrepared(utterance, asked)) return;
    if (this.#tries.utterance !== utterance) this.#tries = { utterance, made: 0 };
    if (this.#tries.made >= MOST_TRIES) {
      this.dropPrepared();
      return;
    }
    this.#tries.made++;
    this.#make(utterance, asked);
  }

  /** Lets the reply be heard; the one made ahead if it answers the same. */
  commit(utterance: number, asked: Asked): void {
    if (!this.#isPrepared(utterance, asked)) this.#make(utterance, asked);
    this.#current?.commit();
    this.#release(utterance);
  }

  /** Says a fixed text, which may have been spoken ahead. */
  say(utterance: number, text: string, isApology: boolean): void {
    const current = this.#begin(utterance, text, () => undefined);
    this.#playout.prepare(utterance, this.#saying(text, isApology, current));
    this.#release(utterance);
  }

  /** Says a text that nobody knew before; it is not kept. */
  dictate(utterance: number, text: string): void {
    const current = this.#begin(utterance, text, () => undefined);
    this.#playout.prepare(utterance, speakReply(fixedText(text), this.#live(current)));
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

  #isPrepared(utterance: number, asked: Asked): boolean {
    return this.#current?.utterance === utterance && this.#current.key === this.#keyOf(asked);
  }

  /** Two replies are the same when they answer the same words after the same talk, in one language. */
  #keyOf({ text, before }: Asked): string {
    return `${this.#parts.language.language} ${before.length} ${text ?? ''}`;
  }

  #make(utterance: number, asked: Asked): void {
    let commit: () => void = () => undefined;
    const committed = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const current = this.#begin(utterance, this.#keyOf(asked), commit);
    const tokens = this.#tokens(current, asked, committed);
    const speech = speakReply(tokens, {
      ...this.#live(current),
      onFirstToken: () => this.#mark(current, 'firstTokenAt'),
      onFirstChunk: () => this.#mark(current, 'firstChunkAt'),
      onFirstAudio: () => this.#mark(current, 'firstAudioAt'),
    });
    this.#playout.prepare(utterance, speech);
  }

  /** The model's words, from the inside out: steps, a sure end, and no silence. */
  #tokens(current: PreparedReply, { text, before }: Asked, committed: Promise<void>) {
    const { config, clock, replyModel, fallbackModels = [], onFault } = this.#parts;
    const { utterance, work } = current;
    const { language } = this.#manner();
    const patience = { clock, signal: work.signal };
    const onReplyFault = (error: unknown) => onFault('reply', error);
    const steps = replySteps(
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
        ...patience,
        models: [replyModel, ...fallbackModels],
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
      ...patience,
      language,
      quietMs: () => this.#playout.quietMs,
      isToolRunning: () => current.isToolRunning,
    });
  }

  /** A kept recording where there is one; spoken anew where that fails. */
  async *#saying(
    text: string,
    isApology: boolean,
    current: PreparedReply,
  ): AsyncGenerator<SpokenPiece> {
    const { clock, greetings, onFault } = this.#parts;
    const fallbackVoices = this.#fallbackVoices;
    const { signal } = current.work;
    const manner = this.#manner();
    const recording = greetings.speak(text, manner, signal);
    let hasSpoken = false;
    try {
      for (;;) {
        const limitMs = isApology ? APOLOGY_MS : voiceTimeoutMs(this.#playout.quietMs);
        const next = await within(recording.next(), limitMs, { clock, signal });
        if (next === LATE) throw new CallError('SPEECH_FAILED', 'The voice gave no sound in time');
        if (next.done) return;
        hasSpoken = true;
        current.voices.add(manner.voice.id);
        yield next.value;
      }
    } catch (error) {
      const isHopeless = hasSpoken || (isLate(error) && fallbackVoices.length === 0);
      if (signal.aborted || isHopeless) throw error;
      onFault('speech', error);
      const [first, ...rest] = fallbackVoices;
      const live = this.#live(current);
      const others = first && isLate(error) ? { voice: first, fallbackVoices: rest } : {};
      yield* speakReply(fixedText(text), { ...live, ...others });
    } finally {
      void recording.return(undefined).catch(() => undefined);
    }
  }

  #begin(utterance: number, key: string, commit: () => void): PreparedReply {
    this.stop();
    const current = preparedReply(utterance, key, commit);
    this.#current = current;
    this.#isReleased = false;
    return current;
  }

  #mark({ marks }: PreparedReply, step: keyof ReplyMarks): void {
    marks[step] ??= this.#parts.clock.now();
  }

  #release(utterance: number): void {
    this.#isReleased = true;
    this.#playout.release(utterance);
  }

  #manner(): Manner {
    const { config, language, dictionary, transport } = this.#parts;
    const manner = mannerOf(config, language.voice, transport.sampleRate);
    return { ...manner, language: language.language, dictionary };
  }

  /** Those of a call whose language is found out may be of another one. */
  get #fallbackVoices(): readonly VoiceModel[] {
    const { fallbackVoices = [], voiceFor, language } = this.#parts;
    if (!voiceFor) return fallbackVoices;
    return fallbackVoices.filter(({ languages }) => languages.includes(language.language));
  }

  /** How a reply is spoken: by a voice that may fail. */
  #live({ work: { signal }, voices }: PreparedReply) {
    const { clock, onFault } = this.#parts;
    const onVoiceFault = (error: unknown) => onFault('speech', error);
    const mannerNow = () => ({ ...this.#manner(), fallbackVoices: this.#fallbackVoices });
    const onVoice = ({ id }: VoiceModel) => voices.add(id);
    const quietMs = () => this.#playout.quietMs;
    return { ...mannerNow(), mannerNow, signal, clock, quietMs, onVoiceFault, onVoice };
  }
}

function isLate(error: unknown): boolean {
  return error instanceof CallError && error.code === 'SPEECH_FAILED';
}
