import { AsyncQueue } from '../../async/async-queue.js';
import { abortError } from '../../errors.js';
import type { Language } from '../../languages.js';
import type { Priority, ThreadQueue } from '../../runtime/cpu-scheduler.js';
import type { FixedPronunciation } from '../../text/normalise/fixed-pronunciations.js';
import {
  requireSpeakable,
  type SpeakOptions,
  type SpeechChunk,
  type SynthesisRequest,
  type TextToSpeech,
} from '../text-to-speech.js';
import type { EspeakProcess, OnEspeakAudio } from './espeak-process.js';
import { type EspeakPiece, espeakTextOf, piecesOf } from './espeak-text.js';
import { mnemonicsOf, type PhonemeMap, phonemeMapOf, SOUND_SAMPLES } from './phoneme-map.js';
import { ESPEAK_SAMPLE_RATE } from './protocol.js';
import { type WordRange, WordTiming } from './word-timing.js';

/** Fixed pronunciations used in one utterance. */
const MAX_PRONOUNCED = 1_000;
/** The engine's own pauses between clauses and sentences, which it omits at the end of its input. */
const CLAUSE_PAUSE_MS = 150;
const SENTENCE_PAUSE_MS = 300;
const CLAUSE_END = /[,;:–—]\s*$/;
const SENTENCE_END = /[.!?…]['"”»)]*\s*$/;

export interface EspeakVoiceOptions {
  readonly id: string;
  readonly language: Language;
  /** The engine's name of the voice. */
  readonly voice: string;
  /** Shared by all voices; the owner closes it. */
  readonly process: EspeakProcess;
  /** The queue of that process. */
  readonly queue: ThreadQueue;
}

/**
 * A voice of the formant synthesiser eSpeak NG: robotic, but fast and in every language. Each clause is a job
 * with a CPU permit; its audio is emitted while it is synthesised. `temperature`, `topP` and `seed` have
 * no effect: the engine samples no model, and its jitter of some ms per utterance cannot be seeded.
 */
export class EspeakVoice implements TextToSpeech {
  readonly id: string;
  readonly languages: readonly string[];
  readonly sampleRate = ESPEAK_SAMPLE_RATE;
  readonly #language: Language;
  readonly #voice: string;
  readonly #process: EspeakProcess;
  readonly #queue: ThreadQueue;
  #phonemeMap: PhonemeMap | undefined;

  constructor({ id, language, voice, process, queue }: EspeakVoiceOptions) {
    this.id = id;
    this.languages = [language];
    this.#language = language;
    this.#voice = voice;
    this.#process = process;
    this.#queue = queue;
  }

  async *speak(utterance: SynthesisRequest, options: SpeakOptions): AsyncGenerator<SpeechChunk> {
    const { signal, firstPriority, dueAt } = options;
    requireSpeakable(utterance, options);
    const fixed = await this.#fixedWords(utterance, options);
    const normalised = espeakTextOf(utterance.text, utterance.language, fixed);
    const timing = new WordTiming();
    let priority: Priority = firstPriority;
    for (const piece of piecesOf(normalised)) {
      const place = codeUnits(piece.text);
      const rangeOf: WordRange = (start, end) =>
        normalised.origin(piece.start + place(start), piece.start + place(end));
      const work = { piece, speed: utterance.speed, timing, rangeOf };
      yield* this.#sayPiece(work, { signal, firstPriority: priority, dueAt });
      priority = 'later-chunk';
    }
  }

  async warm(): Promise<void> {
    await this.#queue.use('background', () => this.#process.phonemes(this.#voice, [['a']]));
  }

  async close(): Promise<void> {
    // The process is shared: its owner closes it.
  }

  /** The transcribed parts whose phonemes the voice has. */
  async #fixedWords(
    { text, pronounced = [] }: SynthesisRequest,
    { signal, firstPriority }: SpeakOptions,
  ): Promise<readonly FixedPronunciation[]> {
    if (pronounced.length === 0) return [];
    this.#phonemeMap ??= await this.#queue.use(
      firstPriority,
      async () => {
        const sample = SOUND_SAMPLES[this.#language].replaceAll(',', '');
        const { ipa, mnemonics } = await this.#process.mnemonics(this.#voice, sample);
        return phonemeMapOf(ipa, mnemonics);
      },
      signal,
    );
    const sounds = this.#phonemeMap;
    return pronounced.slice(0, MAX_PRONOUNCED).flatMap(({ textStart, textEnd, ipa }) => {
      const phonemes = mnemonicsOf(ipa, sounds);
      if (phonemes === undefined) return [];
      return { textStart, textEnd, text: text.slice(textStart, textEnd), phonemes };
    });
  }

  async *#sayPiece(work: PieceWork, options: SpeakOptions): AsyncGenerator<SpeechChunk> {
    const { signal, firstPriority, dueAt } = options;
    const urgency = { priority: firstPriority, dueAt: dueAt?.() };
    const { piece, speed, timing, rangeOf } = work;
    const job = { voice: this.#voice, text: piece.text, speed };
    const chunks = new AsyncQueue<SpeechChunk>();
    const onAudio: OnEspeakAudio = (samples, events) => {
      if (signal.aborted) return;
      const chunk = timing.push(samples, events, rangeOf);
      if (chunk) chunks.push(chunk);
    };
    const speaking = this.#queue
      .use(urgency, () => this.#process.speak(job, onAudio), signal)
      .then(
        () => chunks.close(),
        (error: unknown) => chunks.fail(error),
      );
    try {
      for await (const chunk of chunks.read()) {
        if (signal.aborted) break;
        yield chunk;
      }
    } finally {
      await speaking;
    }
    if (signal.aborted) throw abortError();
    const rest = timing.endPiece(pauseAfter(piece.text, speed));
    if (rest) yield rest;
  }
}

interface PieceWork {
  readonly piece: EspeakPiece;
  readonly speed: number;
  readonly timing: WordTiming;
  readonly rangeOf: WordRange;
}

/** Length of the pause after a piece, in samples. */
function pauseAfter(text: string, speed: number): number {
  const clauseMs = CLAUSE_END.test(text) ? CLAUSE_PAUSE_MS : 0;
  const pauseMs = SENTENCE_END.test(text) ? SENTENCE_PAUSE_MS : clauseMs;
  return Math.round((pauseMs * ESPEAK_SAMPLE_RATE) / 1000 / speed);
}

/** Converts an index in code points to one in UTF-16 units. */
function codeUnits(text: string): (codePoints: number) => number {
  const lengths = Array.from(text, (character) => character.length);
  if (lengths.length === text.length) return (count) => Math.min(count, text.length);
  return (count) => lengths.slice(0, count).reduce((sum, length) => sum + length, 0);
}
