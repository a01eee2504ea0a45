import { scramble } from '../../audio/seeded-random.js';
import { MediaError } from '../../errors.js';
import { floatsOf, type OnnxModel, type OnnxTensor } from '../../runtime/onnx-session.js';
import { NOISE, SOUND } from './piper-graph-split.js';
import { openPiperSessions, openWhole, type PiperSessions } from './piper-sessions.js';
import type { PiperVoiceSettings } from './piper-voice.js';
import type { PiperConfig } from './voice-config.js';

/**
 * Context frames of the decoder on each side of a window. With 10, windows equal the whole up to float32
 * rounding (−117 dB); with 9, up to −58 dB.
 */
const MARGIN = 10;
/** The same for the flow, which runs before the decoder. 24: −129 dB, more does not help; 16: −95 dB. */
const FLOW_MARGIN = 24;
/** Channels of the latent of every Piper voice. Source: the Piper project's training configuration. */
const CHANNELS = 192;
/** Frames of noise for an id, enough for most parts. */
const FRAMES_PER_ID = 5;
/** Maximum frames of noise for a part. */
const MAX_FRAMES = 8_192;
/** Possible start positions of an utterance's noise in the shared noise; the seed selects one. */
const OFFSETS = 65_536;

/** The encoder's output for a part; a voice that cannot be split returns the audio. */
export type PiperPlan =
  | {
      readonly type: 'latent';
      /** Input of the flow, or of the decoder if there is no flow: `[channels, frames]`. */
      readonly features: Float32Array;
      readonly frames: number;
      /** Frames of each id. */
      readonly durations: Float32Array;
    }
  | { readonly type: 'audio'; readonly samples: Float32Array };

/** Half-open. */
interface FrameRange {
  readonly from: number;
  readonly to: number;
}

type LatentPlan = Extract<PiperPlan, { type: 'latent' }>;
type SplitSessions = Extract<PiperSessions, { type: 'split' }>;

/** The acoustic model of a Piper voice (VITS), in parts if its graph allows it. */
export class PiperModel {
  readonly #sessions: PiperSessions;
  readonly #config: PiperConfig;
  #noise: Float32Array | undefined;
  /** Samples per frame; known after the first decoding. */
  #hop = 0;

  private constructor(sessions: PiperSessions, config: PiperConfig) {
    this.#sessions = sessions;
    this.#config = config;
  }

  /** @throws MediaError MODEL_MISSING, MODEL_CORRUPT. */
  static async load(
    modelFile: string,
    preparedFolder: string | undefined,
    config: PiperConfig,
  ): Promise<PiperModel> {
    try {
      const model = new PiperModel(await openPiperSessions(modelFile, preparedFolder), config);
      await model.#tryRun();
      return model;
    } catch (error) {
      if (error instanceof MediaError && error.code === 'MODEL_MISSING') throw error;
      // The split may be wrong although the graph looked right: then the voice runs whole.
      return new PiperModel(await openWhole(modelFile), config);
    }
  }

  /** The runtime reports some faults of a graph only when it runs. */
  async #tryRun(): Promise<void> {
    const settings = { temperature: 1, seed: 1, speed: 1 };
    const plan = await this.encode([1, 0, 20, 0, 2], settings);
    if (plan.type === 'latent') await this.decode(plan, 0, plan.frames);
  }

  /** Samples per frame; 0 before the first decoding. */
  get hop(): number {
    return this.#hop;
  }

  async encode(ids: readonly number[], settings: PiperVoiceSettings): Promise<PiperPlan> {
    if (this.#sessions.type === 'whole') {
      const { model } = this.#sessions;
      const output = await model.run(this.#feeds(model, ids, settings));
      return { type: 'audio', samples: floatsOf(output[SOUND]) };
    }
    const { encoder, split } = this.#sessions;
    const output = await this.#runEncoder(encoder, ids, settings);
    const features = output[split.flow?.source ?? split.latent]!;
    const frames = features.dims[2] ?? 0;
    const known = split.durations && output[split.durations];
    const durations = known
      ? floatsOf(known)
      : new Float32Array(ids.length).fill(frames / ids.length);
    return { type: 'latent', features: floatsOf(features), frames, durations };
  }

  /** The samples of the frames `from`…`to` (half-open). */
  async decode(plan: LatentPlan, from: number, to: number): Promise<Float32Array<ArrayBuffer>> {
    if (this.#sessions.type === 'whole') throw new MediaError('INTERNAL', 'The voice runs whole');
    const { decoder, split } = this.#sessions;
    const first = Math.max(0, from - MARGIN);
    const end = Math.min(plan.frames, to + MARGIN);
    const latent = await this.#latentOf(this.#sessions, plan, { from: first, to: end });
    const output = await decoder.run({ [split.latent]: latent });
    const samples = floatsOf(output[SOUND]);
    this.#hop = samples.length / (end - first);
    return samples.slice((from - first) * this.#hop, (to - first) * this.#hop);
  }

  /** The latent of the frames `from`…`to` (half-open). The flow runs in windows, so the first audio is early. */
  async #latentOf(
    sessions: SplitSessions,
    plan: LatentPlan,
    { from, to }: FrameRange,
  ): Promise<OnnxTensor> {
    const { flow, split } = sessions;
    if (!flow || !split.flow) return cutFrames(plan.features, plan.frames, { from, to });
    const first = Math.max(0, from - FLOW_MARGIN);
    const end = Math.min(plan.frames, to + FLOW_MARGIN);
    const mask = new Float32Array(end - first).fill(1);
    const output = await flow.run({
      [split.flow.source]: cutFrames(plan.features, plan.frames, { from: first, to: end }),
      [split.flow.mask]: { data: mask, dims: [1, 1, end - first] },
    });
    const latent = floatsOf(output[split.latent]);
    return cutFrames(latent, end - first, { from: from - first, to: to - first });
  }

  /** Runs again with the maximum of noise if a part has more frames than its ids suggest. */
  async #runEncoder(encoder: OnnxModel, ids: readonly number[], settings: PiperVoiceSettings) {
    const expected = Math.ceil((ids.length * FRAMES_PER_ID) / Math.min(1, settings.speed)) + 64;
    const feeds = this.#feeds(encoder, ids, settings);
    if (!encoder.inputNames.includes(NOISE)) return encoder.run(feeds);
    const frames = Math.min(MAX_FRAMES, expected);
    try {
      return await encoder.run({ ...feeds, [NOISE]: this.#noiseOf(settings.seed, frames) });
    } catch (error) {
      if (frames === MAX_FRAMES) throw error;
      return encoder.run({ ...feeds, [NOISE]: this.#noiseOf(settings.seed, MAX_FRAMES) });
    }
  }

  #feeds(model: OnnxModel, ids: readonly number[], { temperature, speed }: PiperVoiceSettings) {
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
      // The first speaker of a voice with several.
      ...(model.inputNames.includes('sid') && { sid: integers([0], [1]) }),
    };
  }

  #noiseOf(seed: number, frames: number): OnnxTensor {
    this.#noise ??= normalNumbers(CHANNELS * MAX_FRAMES + OFFSETS);
    const offset = (scramble(seed | 0) >>> 0) % OFFSETS;
    const values = this.#noise.subarray(offset, offset + CHANNELS * frames);
    return { data: values, dims: [1, CHANNELS, frames] };
  }
}

/** Slices the frames `from`…`to` (half-open) out of `[channels, frames]`. */
function cutFrames(values: Float32Array, frames: number, { from, to }: FrameRange): OnnxTensor {
  const channels = values.length / frames;
  const window = new Float32Array(channels * (to - from));
  for (let channel = 0; channel < channels; channel++) {
    const row = channel * frames;
    window.set(values.subarray(row + from, row + to), channel * (to - from));
  }
  return { data: window, dims: [1, channels, to - from] };
}

/** Normally distributed numbers, always the same. Source: Box and Muller, 1958. */
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
