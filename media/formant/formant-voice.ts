import { abortError } from '../errors.js';
import type { Priority } from '../inference/cpu-permits.js';
import type { WorkerLane } from '../inference/worker-lane.js';
import type { Language } from '../languages.js';
import { arrivals } from '../stream/arrivals.js';
import type { SettledWord } from '../tts/english/settled-words.js';
import {
  requireSpeakable,
  type SpeakOptions,
  type SpeechChunk,
  type Utterance,
  type VoiceModel,
} from '../tts/voice-model.js';
import type { FormantProcess, OnSound } from './formant-process.js';
import { FORMANT_RATE } from './protocol.js';
import { piecesOf, type ReadingPiece, readingOf } from './reading.js';
import { mnemonicsOf, SOUND_SAMPLES, type Sounds, soundsOf } from './sounds.js';
import { WordClock, type WordRange } from './word-clock.js';

/** As many parts as have a sign of their own. */
const MOST_SETTLED = 1_000;
/** What the engine itself leaves between clauses and sentences, but not at the end of what it is given. */
const CLAUSE_PAUSE_MS = 150;
const SENTENCE_PAUSE_MS = 300;
const CLAUSE_END = /[,;:–—]\s*$/;
const SENTENCE_END = /[.!?…]['"”»)]*\s*$/;

export interface FormantVoiceOptions {
  readonly id: string;
  readonly language: Language;
  /** The engine's name for the voice. */
  readonly voice: string;
  /** Shared by all voices; the owner closes it. */
  readonly process: FormantProcess;
  /** The queue before that process. */
  readonly lane: WorkerLane;
}

/**
 * A voice of the formant engine: robotic, but at once and in every language. Each clause is a job
 * with a CPU permit, and its sound goes out while it is made. Temperature,
 * top-p and the seed change nothing: there is no model to draw from, and the engine's own flutter,
 * which makes an utterance some ms longer or shorter from time to time, cannot be seeded.
 */
export class FormantVoice implements VoiceModel {
  readonly id: string;
  readonly languages: readonly string[];
  readonly sampleRate = FORMANT_RATE;
  readonly #language: Language;
  readonly #voice: string;
  readonly #process: FormantProcess;
  readonly #lane: WorkerLane;
  #sounds: Sounds | undefined;

  constructor({ id, language, voice, process, lane }: FormantVoiceOptions) {
    this.id = id;
    this.languages = [language];
    this.#language = language;
    this.#voice = voice;
    this.#process = process;
    this.#lane = lane;
  }

  async *speak(utterance: Utterance, options: SpeakOptions): AsyncGenerator<SpeechChunk> {
    const { signal, firstPriority, dueAt } = options;
    requireSpeakable(utterance, options);
    const settled = await this.#settledWords(utterance, options);
    const reading = readingOf(utterance.text, utterance.language, settled);
    const clock = new WordClock();
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
    { text, pronounced = [] }: Utterance,
    { signal, firstPriority }: SpeakOptions,
  ): Promise<readonly SettledWord[]> {
    if (pronounced.length === 0) return [];
    this.#sounds ??= await this.#lane.use(
      firstPriority,
      async () => {
        const sample = SOUND_SAMPLES[this.#language].replaceAll(',', '');
        const { ipa, own } = await this.#process.sounds(this.#voice, sample);
        return soundsOf(ipa, own);
      },
      signal,
    );
    const sounds = this.#sounds;
    return pronounced.slice(0, MOST_SETTLED).flatMap(({ textStart, textEnd, ipa }) => {
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
    const chunks = arrivals<SpeechChunk>((emit) => {
      const onSound: OnSound = (samples, events) => {
        if (signal.aborted) return;
        const chunk = clock.push(samples, events, rangeOf);
        if (chunk) emit(chunk);
      };
      return this.#lane.use(urgency, () => this.#process.speak(job, onSound), signal);
    });
    for await (const chunk of chunks) {
      if (signal.aborted) break;
      yield chunk;
    }
    if (signal.aborted) throw abortError();
    const rest = clock.endPiece(pauseAfter(piece.text, speed));
    if (rest) yield rest;
  }
}

interface PieceWork {
  readonly piece: ReadingPiece;
  readonly speed: number;
  readonly clock: WordClock;
  readonly rangeOf: WordRange;
}

/** In samples. */
function pauseAfter(text: string, speed: number): number {
  const clauseMs = CLAUSE_END.test(text) ? CLAUSE_PAUSE_MS : 0;
  const pauseMs = SENTENCE_END.test(text) ? SENTENCE_PAUSE_MS : clauseMs;
  return Math.round((pauseMs * FORMANT_RATE) / 1000 / speed);
}

/** Turns a number of code points of the text into one of UTF-16 units. */
function codeUnits(text: string): (codePoints: number) => number {
  const lengths = Array.from(text, (character) => character.length);
  if (lengths.length === text.length) return (count) => Math.min(count, text.length);
  return (count) => lengths.slice(0, count).reduce((sum, length) => sum + length, 0);
}
