import { readModelFile } from '../../models/model-file.js';
import type { ChunkPosition, PartChunk, VoiceEngine } from '../streaming/voice-engine.js';
import type { WordTime } from '../text-to-speech.js';
import type { PiperPhonemeIds } from './phoneme-ids.js';
import { PiperModel, type PiperPlan } from './piper-model.js';
import type { PiperFiles, PiperUtterance } from './piper-voice.js';
import { parsePiperConfig } from './voice-config.js';

/**
 * Frames of the chunks of an utterance: 190 ms of audio, then 370 ms, 1.1 s and 3 s. Each chunk is decoded with some
 * frames of the chunks before and after it, so long chunks cost less in total than short ones.
 */
const CHUNK_FRAMES = [16, 32, 96];
const MAX_FRAMES = 256;
/** A rest of at most this number of frames is added to the chunk before it. */
const MIN_FRAMES = 64;
/** Difference between the seeds of two parts of an utterance. */
const SEED_STEP = 7919;

/** A part of an utterance. `plan` is set when its first chunk is synthesised. */
interface PiperPart {
  readonly phonemeIds: PiperPhonemeIds;
  plan?: PiperPlan;
  /** Number of decoded frames. */
  nextFrame: number;
}

/** A Piper voice inside its worker. */
export class PiperEngine implements VoiceEngine<PiperUtterance, PiperPart> {
  readonly #model: PiperModel;

  private constructor(model: PiperModel) {
    this.#model = model;
  }

  /** @throws MediaError MODEL_MISSING, MODEL_CORRUPT */
  static async load({ modelFile, configFile, preparedFolder }: PiperFiles): Promise<PiperEngine> {
    const config = parsePiperConfig(await readModelFile(configFile));
    return new PiperEngine(await PiperModel.load(modelFile, preparedFolder, config));
  }

  async *parts({ parts }: PiperUtterance): AsyncGenerator<PiperPart, undefined> {
    yield* parts.map((phonemeIds): PiperPart => ({ phonemeIds, nextFrame: 0 }));
  }

  async nextSamples(
    part: PiperPart,
    { utterance, partIndex, chunkIndex, startSample }: ChunkPosition<PiperUtterance>,
  ): Promise<PartChunk> {
    const isPartStart = !part.plan;
    // Counted from the end, so that the last part, usually the only one, has the utterance's own seed.
    const partsLeft = utterance.parts.length - 1 - partIndex;
    const settings = { ...utterance, seed: utterance.seed + SEED_STEP * partsLeft };
    part.plan ??= await this.#model.encode(part.phonemeIds.ids, settings);
    const samples = await this.#samplesOf(part, part.plan, chunkIndex);
    const spoken = { offset: startSample, length: samples.length };
    return {
      samples,
      words: isPartStart ? this.#wordTimes(part.phonemeIds, part.plan, spoken) : [],
      isPartEnd: part.plan.type === 'audio' || part.nextFrame >= part.plan.frames,
    };
  }

  async #samplesOf(
    part: PiperPart,
    plan: PiperPlan,
    chunkIndex: number,
  ): Promise<Float32Array<ArrayBuffer>> {
    if (plan.type === 'audio') return plan.samples.slice();
    const from = part.nextFrame;
    const end = from + (CHUNK_FRAMES[chunkIndex] ?? MAX_FRAMES);
    const isNearlyAll = chunkIndex > 0 && plan.frames - end <= MIN_FRAMES;
    part.nextFrame = isNearlyAll ? plan.frames : Math.min(plan.frames, end);
    return this.#model.decode(plan, from, part.nextFrame);
  }

  /** Returns the times of words. Without durations, all ids count as equally long. */
  #wordTimes(
    { ids, words }: PiperPhonemeIds,
    plan: PiperPlan,
    { offset, length }: { readonly offset: number; readonly length: number },
  ): WordTime[] {
    const starts = new Float64Array(ids.length + 1).fill(offset);
    for (let i = 0; i < ids.length; i++) {
      const own =
        plan.type === 'latent' ? plan.durations[i]! * this.#model.hop : length / ids.length;
      starts[i + 1] = starts[i]! + own;
    }
    return words.map(({ textStart, textEnd, from, to }) => ({
      textStart,
      textEnd,
      startSample: Math.round(starts[from]!),
      endSample: Math.round(starts[to]!),
    }));
  }
}
