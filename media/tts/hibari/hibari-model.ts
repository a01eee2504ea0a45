import { readModelFile } from '../../models/model-file.js';
import { OnnxGraph } from '../../runtime/onnx-graph.js';
import { floatsOf, OnnxModel } from '../../runtime/onnx-session.js';
import { FRAME_VALUES } from './frame-filter.js';
import { type HibariGraphSplit, splitHibariGraph } from './hibari-graph-split.js';

/**
 * Frames that the decoder hears on each side of those that are asked for. Its convolutions reach 27
 * frames, but beyond 12 a longer reach changes less than the rounding of its 8-bit weights does.
 */
const MARGIN = 12;

/** What the encoder makes of one part of a script. */
export interface HibariPlan {
  /** Number of frames of 12.5 ms. */
  readonly frames: number;
  /** Of each id, in pairs of frames. */
  readonly durations: Float32Array;
  /** Hz, of each frame; not above 40 where there is no voice. */
  readonly pitch: Float32Array;
  /** What the decoder works from: `[channels, frames]`. */
  readonly features: Float32Array;
}

/**
 * The acoustic model of a hibari voice, cut in two: the encoder reads a whole sentence, the decoder
 * makes its frames window by window. So the first sound does not wait for the last.
 */
export class HibariModel {
  readonly #encoder: OnnxModel;
  readonly #decoder: OnnxModel;
  readonly #seams: HibariGraphSplit;

  private constructor(encoder: OnnxModel, decoder: OnnxModel, seams: HibariGraphSplit) {
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.#seams = seams;
  }

  /** @throws MediaError MODEL_MISSING, MODEL_CORRUPT. */
  static async load(file: string): Promise<HibariModel> {
    const graph = new OnnxGraph(await readModelFile(file));
    const seams = splitHibariGraph(graph);
    const { features, durations, spectra } = seams;
    const encoder = await OnnxModel.load(graph.part([features, durations, 'f0']));
    const decoder = await OnnxModel.load(graph.part([spectra], [features]));
    return new HibariModel(encoder, decoder, seams);
  }

  /** @param speed 1 is the voice's own pace; 0.5–2. */
  async encode(ids: readonly number[], speed: number): Promise<HibariPlan> {
    const output = await this.#encoder.run({
      ids: { data: BigInt64Array.from(ids, BigInt), dims: [1, ids.length] },
      speed: { data: Float32Array.of(speed), dims: [1] },
    });
    const pitch = floatsOf(output.f0);
    return {
      frames: pitch.length,
      durations: floatsOf(output[this.#seams.durations]),
      pitch,
      features: floatsOf(output[this.#seams.features]),
    };
  }

  /** The spectra of the frames `from`…`to` (half-open), frame after frame. */
  async decode(plan: HibariPlan, from: number, to: number): Promise<Float32Array> {
    const first = Math.max(0, from - MARGIN);
    const end = Math.min(plan.frames, to + MARGIN);
    const channels = plan.features.length / plan.frames;
    const window = new Float32Array(channels * (end - first));
    for (let channel = 0; channel < channels; channel++) {
      const row = channel * plan.frames;
      window.set(plan.features.subarray(row + first, row + end), channel * (end - first));
    }
    const input = { data: window, dims: [1, channels, end - first] };
    const output = await this.#decoder.run({ [this.#seams.features]: input });
    const spectra = floatsOf(output[this.#seams.spectra]);
    return spectra.subarray((from - first) * FRAME_VALUES, (to - first) * FRAME_VALUES);
  }
}
