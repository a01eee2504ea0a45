import { AsyncQueue } from '../../async/async-queue.js';
import { abortError } from '../../errors.js';
import type { Language } from '../../languages.js';
import type { Priority } from '../../runtime/cpu-scheduler.js';
import type { JobQueue } from '../../runtime/worker-lane.js';
import type { FixedPronunciation } from '../../text/normalise/fixed-pronunciations.js';
import {
  requireSpeakable,
  type SpeakOptions,
  type SpeechChunk,
  type SynthesisRequest,
  type TextToSpeech,
} from '../text-to-speech.js';
import type { EspeakProcess, OnEspeakAudio } from './espeak-process.js';
import { type EspeakTextChunk, espeakTextOf, piecesOf } from './espeak-text.js';
import { mnemonicsOf, type PhonemeMap, phonemesOf, SOUND_SAMPLES } from './phoneme-map.js';
import { ESPEAK_SAMPLE_RATE } from './protocol.js';
import { type WordRange, WordTiming } from './word-timing.js';

/** As many parts as have a sign of their own. */
const MAX_CACHED = 1_000;
/** What the engine itself leaves between clauses and sentences, but not at the end of what it is given. */
const CLAUSE_PAUSE_MS = 150;
const SENTENCE_PAUSE_MS = 300;
const CLAUSE_END = /[,;:–—]\s*$/;
const SENTENCE_END = /[.!?…]['"”»)]*\s*$/;

export interface EspeakVoiceOptions {
  readonly id: string;
  readonly language: Language;
  /** The engine's name for the voice. */
  readonly voice: string;
  /** Shared by all voices; the owner closes it. */
  readonly process: EspeakProcess;
  /** The queue before that process. */
  readonly lane: JobQueue;
}

/**
 * A voice of the formant engine: robotic, but at once and in every language. Each clause is a job
 * with a CPU permit, and its sound goes out while it is made. Temperature,
 * top-p and the seed change nothing: there is no model to draw from, and the engine's own flutter,
 * which makes an utterance some ms longer or shorter from time to time, cannot be seeded.
 */
export class EspeakVoice implements TextToSpeech {
  readonly id: string;
  readonly languages: readonly string[];
  readonly sampleRate = ESPEAK_SAMPLE_RATE;
  readonly #language: Language;
  readonly #voice: string;
  readonly #process: EspeakProcess;
  readonly #lane: JobQueue;
  #sounds: PhonemeMap | undefined;

  constructor({ id, language, voice, process, lane }: EspeakVoiceOptions) {
    this.id = id;
    this.languages = [language];
    this.#language = language;
    this.#voice = voice;
    this.#process = process;
    this.#lane = lane;
  }

  async *speak(utterance: SynthesisRequest, options: SpeakOptions): AsyncGenerator<SpeechChunk> {
    const { signal, firstPriority, dueAt } = options;
    requireSpeakable(utterance, options);
    const settled = await this.#settledWords(utterance, options);
    const reading = espeakTextOf(utterance.text, utterance.language, settled);
    const clock = new WordTiming();
    let priority: Priority = firstPriority;
    for (const piece of piecesOf(reading)) {
      const place = codeUnits(piece.text);
      const rangeOf: WordRange = (start, end) =>
        reading.origin(piece.start + place(start), piece.start + place(end));
      const work = { piece, speed: utterance.speed, clock, rangeOf };
      yield* this.#sayPiece(work, { signal, firstPriority: priority, dueAt });
      priority = 'later-chunk';
    }
  }

  async warm(): Promise<void> {
    await this.#lane.use('background', () => this.#process.phonemes(this.#voice, [['a']]));
  }

  async close(): Promise<void> {
    // The process is shared: its owner closes it.
  }

  /** The parts that the voice can say as they are transcribed. */
  async #settledWords(
    { text, pronounced = [] }: SynthesisRequest,
    { signal, firstPriority }: SpeakOptions,
  ): Promise<readonly FixedPronunciation[]> {
    if (pronounced.length === 0) return [];
    this.#sounds ??= await this.#lane.use(
      firstPriority,
      async () => {
        const sample = SOUND_SAMPLES[this.#language].replaceAll(',', '');
        const { ipa, own } = await this.#process.sounds(this.#voice, sample);
        return phonemesOf(ipa, own);
      },
      signal,
    );
    const sounds = this.#sounds;
    return pronounced.slice(0, MAX_CACHED).flatMap(({ textStart, textEnd, ipa }) => {
      const phonemes = mnemonicsOf(ipa, sounds);
      if (phonemes === undefined) return [];
      return { textStart, textEnd, text: text.slice(textStart, textEnd), phonemes };
    });
  }

  async *#sayPiece(work: PieceWork, options: SpeakOptions): AsyncGenerator<SpeechChunk> {
    const { signal, firstPriority, dueAt } = options;
    const urgency = { priority: firstPriority, dueAt: dueAt?.() };
    const { piece, speed, clock, rangeOf } = work;
    const job = { voice: this.#voice, text: piece.text, speed };
    const chunks = new AsyncQueue<SpeechChunk>();
    const onSound: OnEspeakAudio = (samples, events) => {
      if (signal.aborted) return;
      const chunk = clock.push(samples, events, rangeOf);
      if (chunk) chunks.push(chunk);
    };
    const speaking = this.#lane
      .use(urgency, () => this.#process.speak(job, onSound), signal)
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
    const rest = clock.endPiece(pauseAfter(piece.text, speed));
    if (rest) yield rest;
  }
}

interface PieceWork {
  readonly piece: EspeakTextChunk;
  readonly speed: number;
  readonly clock: WordTiming;
  readonly rangeOf: WordRange;
}

/** In samples. */
function pauseAfter(text: string, speed: number): number {
  const clauseMs = CLAUSE_END.test(text) ? CLAUSE_PAUSE_MS : 0;
  const pauseMs = SENTENCE_END.test(text) ? SENTENCE_PAUSE_MS : clauseMs;
  return Math.round((pauseMs * ESPEAK_SAMPLE_RATE) / 1000 / speed);
}

/** Turns a number of code points of the text into one of UTF-16 units. */
function codeUnits(text: string): (codePoints: number) => number {
  const lengths = Array.from(text, (character) => character.length);
  if (lengths.length === text.length) return (count) => Math.min(count, text.length);
  return (count) => lengths.slice(0, count).reduce((sum, length) => sum + length, 0);
}
