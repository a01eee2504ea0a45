import { MediaError } from '../../errors.js';
import { floatsOf, type OnnxModel, type OnnxTensor } from '../../runtime/onnx-session.js';
import { scramble } from '../hibari/noise-field.js';
import { NOISE, SOUND } from './piper-graph-split.js';
import { openPiperSessions, openWhole, type PiperSessions } from './piper-sessions.js';
import type { PiperSound } from './piper-voice.js';
import type { PiperConfig } from './voice-config.js';

/**
 * Frames that the decoder hears on each side of those that are asked for: with these its windows equal
 * the whole to the rounding of float32 (−117 dB), with nine to −58 dB.
 */
const MARGIN = 10;
/** The same for the flow before it: −129 dB, which more does not change; 16 give −95 dB. */
const FLOW_MARGIN = 24;
/** Of the latent of every Piper voice (Source: the Piper project's training configuration). */
const CHANNELS = 192;
/** Frames of noise: as many as most pieces have, and as many as any may have. */
const FRAMES_PER_ID = 5;
const MAX_FRAMES = 8_192;
/** Normal numbers that are drawn once; a seed decides where in them an utterance's noise begins. */
const OFFSETS = 65_536;

/** What the encoder makes of ids; a voice that cannot be cut makes all of the sound. */
export type PiperPlan =
  | {
      readonly type: 'latent';
      /** What the flow, or else the decoder, works from: `[channels, frames]`. */
      readonly features: Float32Array;
      readonly frames: number;
      /** Frames of each id. */
      readonly durations: Float32Array;
    }
  | { readonly type: 'sound'; readonly samples: Float32Array };

type LatentPlan = Extract<PiperPlan, { type: 'latent' }>;
type CutSessions = Extract<PiperSessions, { type: 'cut' }>;

/** The acoustic model of a Piper voice (VITS), cut in two where its graph allows it. */
export class PiperModel {
  readonly #sessions: PiperSessions;
  readonly #config: PiperConfig;
  #noise: Float32Array | undefined;
  /** Samples of a frame; known after the first decoding. */
  #hop = 0;

  private constructor(sessions: PiperSessions, config: PiperConfig) {
    this.#sessions = sessions;
    this.#config = config;
  }

  /** @throws MediaError MODEL_MISSING, MODEL_CORRUPT. */
  static async load(
    modelFile: string,
    cutFolder: string | undefined,
    config: PiperConfig,
  ): Promise<PiperModel> {
    try {
      const model = new PiperModel(await openPiperSessions(modelFile, cutFolder), config);
      await model.#tryOut();
      return model;
    } catch (error) {
      if (error instanceof MediaError && error.code === 'MODEL_MISSING') throw error;
      // A seam that looked right and is not: the voice speaks all the same, if it is one.
      return new PiperModel(await openWhole(modelFile), config);
    }
  }

  /** The runtime refuses some graphs only when they run. */
  async #tryOut(): Promise<void> {
    const sound = { temperature: 1, seed: 1, speed: 1 };
    const plan = await this.encode([1, 0, 20, 0, 2], sound);
    if (plan.type === 'latent') await this.decode(plan, 0, plan.frames);
  }

  /** Samples of a frame. */
  get hop(): number {
    return this.#hop;
  }

  async encode(ids: readonly number[], sound: PiperSound): Promise<PiperPlan> {
    if (this.#sessions.type === 'whole') {
      const { session } = this.#sessions;
      const output = await session.run(this.#feeds(session, ids, sound));
      return { type: 'sound', samples: floatsOf(output[SOUND]) };
    }
    const { encoder, seams } = this.#sessions;
    const output = await this.#runEncoder(encoder, ids, sound);
    const features = output[seams.flow?.source ?? seams.latent]!;
    const frames = features.dims[2] ?? 0;
    const told = seams.durations && output[seams.durations];
    const durations = told
      ? floatsOf(told)
      : new Float32Array(ids.length).fill(frames / ids.length);
    return { type: 'latent', features: floatsOf(features), frames, durations };
  }

  /** The samples of the frames `from`…`to` (half-open). */
  async decode(plan: LatentPlan, from: number, to: number): Promise<Float32Array<ArrayBuffer>> {
    if (this.#sessions.type === 'whole') throw new MediaError('INTERNAL', 'The voice runs whole');
    const { decoder, seams } = this.#sessions;
    const first = Math.max(0, from - MARGIN);
    const end = Math.min(plan.frames, to + MARGIN);
    const latent = await this.#latentOf(plan, first, end);
    const output = await decoder.run({ [seams.latent]: latent });
    const samples = floatsOf(output[SOUND]);
    this.#hop = samples.length / (end - first);
    return samples.slice((from - first) * this.#hop, (to - first) * this.#hop);
  }

  /** Of the frames `from`…`to` (half-open). The flow runs in windows too, so the first sound is early. */
  async #latentOf(plan: LatentPlan, from: number, to: number): Promise<OnnxTensor> {
    const { flow, seams } = this.#sessions as CutSessions;
    if (!flow || !seams.flow) return cutFrames(plan.features, plan.frames, { from, to });
    const first = Math.max(0, from - FLOW_MARGIN);
    const end = Math.min(plan.frames, to + FLOW_MARGIN);
    const mask = new Float32Array(end - first).fill(1);
    const output = await flow.run({
      [seams.flow.source]: cutFrames(plan.features, plan.frames, { from: first, to: end }),
      [seams.flow.mask]: { data: mask, dims: [1, 1, end - first] },
    });
    const latent = floatsOf(output[seams.latent]);
    return cutFrames(latent, end - first, { from: from - first, to: to - first });
  }

  /** A piece with more frames than its ids let expect gets more noise. */
  async #runEncoder(encoder: OnnxModel, ids: readonly number[], sound: PiperSound) {
    const expected = Math.ceil((ids.length * FRAMES_PER_ID) / Math.min(1, sound.speed)) + 64;
    const feeds = this.#feeds(encoder, ids, sound);
    if (!encoder.inputNames.includes(NOISE)) return encoder.run(feeds);
    const frames = Math.min(MAX_FRAMES, expected);
    try {
      return await encoder.run({ ...feeds, [NOISE]: this.#noiseOf(sound.seed, frames) });
    } catch (error) {
      if (frames === MAX_FRAMES) throw error;
      return encoder.run({ ...feeds, [NOISE]: this.#noiseOf(sound.seed, MAX_FRAMES) });
    }
  }

  #feeds(session: OnnxModel, ids: readonly number[], { temperature, speed }: PiperSound) {
    const { noiseScale, lengthScale, noiseWidth } = this.#config;
    const scales = Float32Array.of(
      noiseScale * temperature,
      lengthScale / speed,
      noiseWidth * temperature,
    );
    const integers = (values: readonly number[], dims: readonly number[]) => ({
      data: BigInt64Array.from(values, BigInt),
      dims,
    });
    return {
      input: integers(ids, [1, ids.length]),
      input_lengths: integers([ids.length], [1]),
      scales: { data: scales, dims: [3] },
      // Of a voice with several speakers the first speaks.
      ...(session.inputNames.includes('sid') && { sid: integers([0], [1]) }),
    };
  }

  #noiseOf(seed: number, frames: number): OnnxTensor {
    this.#noise ??= normalNumbers(CHANNELS * MAX_FRAMES + OFFSETS);
    const offset = (scramble(seed | 0) >>> 0) % OFFSETS;
    const values = this.#noise.subarray(offset, offset + CHANNELS * frames);
    return { data: values, dims: [1, CHANNELS, frames] };
  }
}

/** Of `[channels, frames]` the frames `from`…`to` (half-open), as a tensor. */
function cutFrames(
  values: Float32Array,
  frames: number,
  { from, to }: { readonly from: number; readonly to: number },
): OnnxTensor {
  const channels = values.length / frames;
  const window = new Float32Array(channels * (to - from));
  for (let channel = 0; channel < channels; channel++) {
    const row = channel * frames;
    window.set(values.subarray(row + from, row + to), channel * (to - from));
  }
  return { data: window, dims: [1, channels, to - from] };
}

/** Normal noise, always the same (Source: Box and Muller, 1958). */
function normalNumbers(count: number): Float32Array {
  const numbers = new Float32Array(count);
  const uniform = (index: number) => ((scramble(index) >>> 0) + 0.5) / 2 ** 32;
  for (let i = 0; i < count; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(uniform(i)));
    const angle = 2 * Math.PI * uniform(i + 1);
    numbers[i] = radius * Math.cos(angle);
    if (i + 1 < count) numbers[i + 1] = radius * Math.sin(angle);
  }
  return numbers;
}
