import { join } from 'node:path';
import { MediaError } from '../../errors.js';
import { readModelFile } from '../../models/model-file.js';
import { pronouncedWithin } from '../../text/dictionary/dictionary.js';
import { EnglishG2p } from '../english-g2p/english-g2p.js';
import type { StreamedChunk } from '../streaming/streaming-jobs.js';
import type { WordTime } from '../text-to-speech.js';
import { HOP } from './constants.js';
import { HibariModel, type HibariPlan } from './hibari-model.js';
import type { HibariFiles, HibariUtterance } from './hibari-voice.js';
import { NoiseField, scramble } from './noise-field.js';
import { type PhonemePart, phonemeIdsOf } from './phoneme-ids.js';
import { HibariSynthesis, SynthesisTools } from './synthesis.js';
import { splitText, type TextSpan } from './text-splitter.js';
import { parseVocabulary } from './vocabulary.js';
import { silentHops, wordTimes } from './word-times.js';

/** Utterances that may be open at a time; each holds some 50 kB a second of its sound. */
const MAX_OPEN = 1000;
/**
 * Frames of an utterance's pieces: the first is 210 ms of sound, then they double up to 2 s, so that
 * none holds a permit for long. They are even, and the same whatever the reader's pace, as where the
 * decoder's windows lie changes the rounding of its 8-bit arithmetic.
 */
const FIRST_FRAMES = 20;
const MAX_FRAMES = 160;

/** A part of an utterance that is being spoken. */
interface PartUnderWay {
  readonly plan: HibariPlan;
  readonly synthesis: HibariSynthesis;
}

/** An utterance that is being spoken: passages are read when they come, parts encoded when they come. */
interface Speech {
  readonly utterance: HibariUtterance;
  /** Still to be read, the next one first. */
  readonly passages: TextSpan[];
  /** Still to be spoken, of the passage that was read last. */
  readonly parts: PhonemePart[];
  /** Parts begun, frames of the next piece, samples handed out. */
  begun: number;
  pieceFrames: number;
  offset: number;
  current: PartUnderWay | undefined;
}

/** A hibari voice inside its thread: text in, pieces of sound out. */
export class HibariEngine {
  readonly #reader: EnglishG2p;
  readonly #model: HibariModel;
  readonly #vocabulary: ReadonlyMap<string, number>;
  readonly #tools = new SynthesisTools();
  readonly #open = new Map<number, Speech>();

  private constructor(
    reader: EnglishG2p,
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
      EnglishG2p.load(folder, dialect),
      HibariModel.load(modelFile),
      readModelFile(join(folder, 'vocab.json')),
    ]);
    return new HibariEngine(reader, model, parseVocabulary(vocabulary));
  }

  /** Utterances that are being spoken. */
  get open(): number {
    return this.#open.size;
  }

  /** @throws MediaError QUEUE_FULL */
  async begin(utterance: HibariUtterance): Promise<StreamedChunk> {
    if (this.#open.size >= MAX_OPEN) {
      throw new MediaError('QUEUE_FULL', 'Too many utterances are being spoken at once');
    }
    const speech: Speech = {
      utterance,
      passages: splitText(utterance.text),
      parts: [],
      begun: 0,
      pieceFrames: FIRST_FRAMES,
      offset: 0,
      current: undefined,
    };
    this.#open.set(utterance.id, speech);
    return this.#advance(speech);
  }

  /** @throws MediaError WORKER_DIED for an utterance that this thread never began. */
  async next(id: number): Promise<StreamedChunk> {
    const speech = this.#open.get(id);
    if (!speech) throw new MediaError('WORKER_DIED', 'The utterance died with its worker thread');
    return this.#advance(speech);
  }

  cancel(id: number): void {
    this.#open.delete(id);
  }

  async #advance(speech: Speech): Promise<StreamedChunk> {
    try {
      const words = speech.current ? [] : await this.#beginPart(speech);
      const samples = await this.#nextSamples(speech);
      speech.offset += samples.length;
      const isLast = !speech.current && !(await this.#nextPart(speech));
      if (isLast) this.#open.delete(speech.utterance.id);
      return { samples, words, isLast };
    } catch (error) {
      this.#open.delete(speech.utterance.id);
      throw error;
    }
  }

  /** The next part to speak, still in `parts`; passages without any sound are passed over. */
  async #nextPart({ utterance, passages, parts }: Speech): Promise<PhonemePart | undefined> {
    while (parts.length === 0) {
      const passage = passages.shift();
      if (!passage) return undefined;
      const { text, start } = passage;
      const own = pronouncedWithin(utterance.pronounced, start, start + text.length);
      const words = await this.#reader.read(text, own);
      parts.push(...phonemeIdsOf(words, this.#vocabulary, start));
    }
    return parts[0];
  }

  async #beginPart(speech: Speech): Promise<WordTime[]> {
    const { utterance, offset } = speech;
    const part = await this.#nextPart(speech);
    if (!part) return [];
    speech.parts.shift();
    const plan = await this.#model.encode(part.ids, utterance.speed);
    const skipped = silentHops(plan.durations);
    const seed = scramble((utterance.seed + speech.begun) | 0);
    const noise = new NoiseField(this.#tools.quantiles, { ...utterance, seed });
    const synthesis = new HibariSynthesis(plan.pitch, noise, this.#tools, skipped);
    speech.current = { plan, synthesis };
    speech.begun++;
    return wordTimes(part, plan.durations, offset - skipped * HOP);
  }

  async #nextSamples(speech: Speech): Promise<Float32Array<ArrayBuffer>> {
    if (!speech.current) return new Float32Array(0);
    const { plan, synthesis } = speech.current;
    const from = synthesis.nextFrame;
    const count = Math.min(speech.pieceFrames, synthesis.framesLeft);
    speech.pieceFrames = Math.min(2 * speech.pieceFrames, MAX_FRAMES);
    const samples = synthesis.add(await this.#model.decode(plan, from, from + count), count);
    if (synthesis.framesLeft === 0) speech.current = undefined;
    return samples;
  }
}
