import { join } from 'node:path';
import { scramble } from '../../audio/seeded-random.js';
import { readModelFile } from '../../models/model-file.js';
import { pronouncedWithin } from '../../text/dictionary/dictionary.js';
import { EnglishG2p } from '../english-g2p/english-g2p.js';
import type { ChunkPosition, PartChunk, VoiceEngine } from '../streaming/voice-engine.js';
import { HOP } from './constants.js';
import { HibariModel, type HibariPlan } from './hibari-model.js';
import type { HibariFiles, HibariUtterance } from './hibari-voice.js';
import { NoiseField } from './noise-field.js';
import { type PhonemePart, phonemeParts } from './phoneme-ids.js';
import { HibariSynthesis, SynthesisTools } from './synthesis.js';
import { splitText } from './text-splitter.js';
import { parseVocabulary } from './vocabulary.js';
import { partWordTimes, silentHops } from './word-times.js';

/**
 * Frames of an utterance's chunks: the first is 210 ms of audio, then they double up to 2 s, so that no
 * chunk holds its CPU permit for long. The sizes are even and do not depend on the reader's speed,
 * because the position of the decoder's windows changes the rounding of its 8-bit arithmetic.
 */
const FIRST_FRAMES = 20;
const MAX_FRAMES = 160;

/** A part of an utterance; `encoded` is set with its first chunk. */
interface HibariPart {
  readonly phonemes: PhonemePart;
  encoded?: { readonly plan: HibariPlan; readonly synthesis: HibariSynthesis };
}

/** A hibari voice inside its worker. */
export class HibariEngine implements VoiceEngine<HibariUtterance, HibariPart> {
  readonly #g2p: EnglishG2p;
  readonly #model: HibariModel;
  readonly #vocabulary: ReadonlyMap<string, number>;
  readonly #tools = new SynthesisTools();

  private constructor(
    g2p: EnglishG2p,
    model: HibariModel,
    vocabulary: ReadonlyMap<string, number>,
  ) {
    this.#g2p = g2p;
    this.#model = model;
    this.#vocabulary = vocabulary;
  }

  /** @throws MediaError MODEL_MISSING, MODEL_CORRUPT */
  static async load(files: HibariFiles): Promise<HibariEngine> {
    const { folder, dialect, modelFile, preparedFolder } = files;
    const [g2p, model, vocabulary] = await Promise.all([
      EnglishG2p.load(folder, dialect),
      HibariModel.load(modelFile, preparedFolder),
      readModelFile(join(folder, 'vocab.json')),
    ]);
    return new HibariEngine(g2p, model, parseVocabulary(vocabulary));
  }

  async *parts({ text, pronounced }: HibariUtterance): AsyncGenerator<HibariPart, undefined> {
    for (const span of splitText(text)) {
      const own = pronouncedWithin(pronounced, span.start, span.start + span.text.length);
      const words = await this.#g2p.phonemize(span.text, own);
      const parts = phonemeParts(words, this.#vocabulary, span.start);
      yield* parts.map((phonemes): HibariPart => ({ phonemes }));
    }
  }

  async nextSamples(
    part: HibariPart,
    { utterance, partIndex, chunkIndex, startSample }: ChunkPosition<HibariUtterance>,
  ): Promise<PartChunk> {
    const isPartStart = !part.encoded;
    part.encoded ??= await this.#encode(part.phonemes, utterance, partIndex);
    const { plan, synthesis } = part.encoded;
    const from = synthesis.nextFrame;
    const count = Math.min(FIRST_FRAMES * 2 ** chunkIndex, MAX_FRAMES, synthesis.framesLeft);
    const samples = synthesis.add(await this.#model.decode(plan, from, from + count), count);
    const offset = startSample - silentHops(plan.durations) * HOP;
    return {
      samples,
      words: isPartStart ? partWordTimes(part.phonemes, plan.durations, offset) : [],
      isPartEnd: synthesis.framesLeft === 0,
    };
  }

  async #encode({ ids }: PhonemePart, utterance: HibariUtterance, partIndex: number) {
    const plan = await this.#model.encode(ids, utterance.speed);
    const seed = scramble((utterance.seed + partIndex) | 0);
    const noise = new NoiseField(this.#tools.quantiles, { ...utterance, seed });
    const skipped = silentHops(plan.durations);
    return { plan, synthesis: new HibariSynthesis(plan.pitch, noise, this.#tools, skipped) };
  }
}
