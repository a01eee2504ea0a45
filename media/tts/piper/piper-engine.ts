import { MediaError } from '../../errors.js';
import { readModelFile } from '../../models/model-file.js';
import type { StreamedChunk } from '../streaming/streaming-jobs.js';
import type { WordTime } from '../text-to-speech.js';
import type { PiperPhonemeIds } from './phoneme-ids.js';
import { PiperModel, type PiperPlan } from './piper-model.js';
import type { PiperFiles, PiperUtterance } from './piper-voice.js';
import { parsePiperConfig } from './voice-config.js';

/** Utterances that may be open at a time; each holds some 70 kB a second of its sound. */
const MAX_OPEN = 1000;
/**
 * Frames of an utterance's pieces: the first is 190 ms of sound, the second twice as long, then they
 * grow by three up to 3 s. Each is decoded with some frames of its neighbours, so fewer cost less.
 */
const FIRST_FRAMES = 16;
const MAX_FRAMES = 256;
/** So few frames at the end are no piece of their own. */
const MIN_FRAMES = 64;

/** An utterance that is being spoken: each script is encoded when it comes. */
interface Speech {
  readonly utterance: PiperUtterance;
  readonly scripts: PiperPhonemeIds[];
  plan: PiperPlan | undefined;
  nextFrame: number;
  pieceFrames: number;
  /** Samples handed out, and of those the ones before the script under way. */
  spoken: number;
  origin: number;
}

/** A Piper voice inside its thread: ids in, pieces of sound out. */
export class PiperEngine {
  readonly #model: PiperModel;
  readonly #open = new Map<number, Speech>();

  private constructor(model: PiperModel) {
    this.#model = model;
  }

  /** @throws MediaError MODEL_MISSING, MODEL_CORRUPT. */
  static async load({ modelFile, configFile, cutFolder }: PiperFiles): Promise<PiperEngine> {
    const config = parsePiperConfig(await readModelFile(configFile));
    return new PiperEngine(await PiperModel.load(modelFile, cutFolder, config));
  }

  /** Utterances that are being spoken. */
  get open(): number {
    return this.#open.size;
  }

  /** @throws MediaError QUEUE_FULL */
  async begin(utterance: PiperUtterance): Promise<StreamedChunk> {
    if (this.#open.size >= MAX_OPEN) {
      throw new MediaError('QUEUE_FULL', 'Too many utterances are being spoken at once');
    }
    const speech: Speech = {
      utterance,
      scripts: [...utterance.scripts],
      plan: undefined,
      nextFrame: 0,
      pieceFrames: FIRST_FRAMES,
      spoken: 0,
      origin: 0,
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
      const script = speech.plan ? undefined : speech.scripts.shift();
      if (script) await this.#beginScript(speech, script);
      const samples = await this.#nextSamples(speech);
      speech.spoken += samples.length;
      const words = script ? this.#wordTimes(speech, script, samples.length) : [];
      if (this.#isOver(speech)) speech.plan = undefined;
      const isLast = !speech.plan && speech.scripts.length === 0;
      if (isLast) this.#open.delete(speech.utterance.id);
      return { samples, words, isLast };
    } catch (error) {
      this.#open.delete(speech.utterance.id);
      throw error;
    }
  }

  async #beginScript(speech: Speech, { ids }: PiperPhonemeIds): Promise<void> {
    const { utterance, scripts } = speech;
    // A seed of its own for each part.
    const seed = utterance.seed + 7919 * scripts.length;
    speech.plan = await this.#model.encode(ids, { ...utterance, seed });
    speech.nextFrame = 0;
    speech.origin = speech.spoken;
  }

  async #nextSamples(speech: Speech): Promise<Float32Array<ArrayBuffer>> {
    const { plan, nextFrame, pieceFrames } = speech;
    if (!plan) return new Float32Array(0);
    if (plan.type === 'sound') return plan.samples.slice();
    const isStart = pieceFrames === FIRST_FRAMES;
    const end = nextFrame + pieceFrames;
    const isNearlyAll = !isStart && plan.frames - end <= MIN_FRAMES;
    speech.nextFrame = isNearlyAll ? plan.frames : Math.min(plan.frames, end);
    speech.pieceFrames = Math.min((isStart ? 2 : 3) * pieceFrames, MAX_FRAMES);
    return this.#model.decode(plan, nextFrame, speech.nextFrame);
  }

  #isOver({ plan, nextFrame }: Speech): boolean {
    return plan?.type !== 'latent' || nextFrame >= plan.frames;
  }

  /** Where the durations are not known, all ids count as equally long. */
  #wordTimes(
    { plan, origin }: Speech,
    { ids, words }: PiperPhonemeIds,
    length: number,
  ): WordTime[] {
    const starts = new Float64Array(ids.length + 1).fill(origin);
    const even = length / ids.length;
    for (let i = 0; i < ids.length; i++) {
      const own = plan?.type === 'latent' ? plan.durations[i]! * this.#model.hop : even;
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
