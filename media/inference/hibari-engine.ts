import { join } from 'node:path';
import { MediaError } from '../errors.js';
import { NoiseField, scramble } from '../tts/hibari/noise.js';
import { type ScriptPart, scriptOf } from '../tts/hibari/script.js';
import { HOP } from '../tts/hibari/signal.js';
import { HibariSynthesis, SynthesisTools } from '../tts/hibari/synthesis.js';
import { silentHops, wordTimes } from '../tts/hibari/word-times.js';
import type { WordTime } from '../tts/voice-model.js';
import { EnglishReader } from './english-reader.js';
import type { HibariFiles, HibariPiece, HibariUtterance } from './hibari-jobs.js';
import { HibariModel, readVocabulary } from './hibari-model.js';

/** Utterances that may be open at a time; each holds up to some 25 MB of spectra. */
const MOST_OPEN = 64;

/** An utterance that is being spoken: the parts to come, and the one under way. */
interface Speech {
  readonly utterance: HibariUtterance;
  readonly parts: ScriptPart[];
  /** Number of the part under way, and the samples handed out before it. */
  part: number;
  offset: number;
  synthesis: HibariSynthesis | undefined;
}

/** A hibari voice inside its thread: text in, pieces of sound out. */
export class HibariEngine {
  readonly #reader: EnglishReader;
  readonly #model: HibariModel;
  readonly #vocabulary: ReadonlyMap<string, number>;
  readonly #tools = new SynthesisTools();
  readonly #open = new Map<number, Speech>();

  private constructor(
    reader: EnglishReader,
    model: HibariModel,
    vocabulary: ReadonlyMap<string, number>,
  ) {
    this.#reader = reader;
    this.#model = model;
    this.#vocabulary = vocabulary;
  }

  /** @throws MediaError MODEL_MISSING, MODEL_CORRUPT. */
  static async load({ folder, dialect, modelFile }: HibariFiles): Promise<HibariEngine> {
    const [reader, model, vocabulary] = await Promise.all([
      EnglishReader.load(folder, dialect),
      HibariModel.load(modelFile),
      readVocabulary(join(folder, 'vocab.json')),
    ]);
    return new HibariEngine(reader, model, vocabulary);
  }

  /** @throws MediaError QUEUE_FULL */
  async begin(utterance: HibariUtterance): Promise<HibariPiece> {
    if (this.#open.size >= MOST_OPEN) {
      throw new MediaError('QUEUE_FULL', 'Too many utterances are being spoken at once');
    }
    const words = await this.#reader.read(utterance.text);
    const parts = scriptOf(words, this.#vocabulary);
    const speech: Speech = { utterance, parts, part: 0, offset: 0, synthesis: undefined };
    this.#open.set(utterance.id, speech);
    return this.#advance(speech, utterance.hops);
  }

  /** @throws MediaError WORKER_DIED for an utterance that this thread never began. */
  async next(id: number, hops: number): Promise<HibariPiece> {
    const speech = this.#open.get(id);
    if (!speech) throw new MediaError('WORKER_DIED', 'The utterance died with its worker thread');
    return this.#advance(speech, hops);
  }

  cancel(id: number): void {
    this.#open.delete(id);
  }

  async #advance(speech: Speech, hops: number): Promise<HibariPiece> {
    try {
      const words = speech.synthesis ? [] : await this.#openPart(speech);
      const samples = speech.synthesis?.take(hops) ?? new Float32Array(0);
      speech.offset += samples.length;
      if (speech.synthesis?.hopsLeft === 0) speech.synthesis = undefined;
      const isLast = !speech.synthesis && speech.parts.length === speech.part;
      if (isLast) this.#open.delete(speech.utterance.id);
      return { samples, words, isLast };
    } catch (error) {
      this.#open.delete(speech.utterance.id);
      throw error;
    }
  }

  async #openPart(speech: Speech): Promise<WordTime[]> {
    const { utterance, offset } = speech;
    const part = speech.parts[speech.part];
    if (!part) return [];
    const { frames, durations } = await this.#model.run(part.ids, utterance.speed);
    const skipped = silentHops(durations);
    const seed = scramble((utterance.seed + speech.part) | 0);
    const noise = new NoiseField(this.#tools.quantiles, { ...utterance, seed });
    speech.synthesis = new HibariSynthesis(frames, noise, this.#tools, skipped);
    speech.part++;
    return wordTimes(part, durations, offset - skipped * HOP);
  }
}
