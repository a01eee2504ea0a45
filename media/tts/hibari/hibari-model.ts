import { preparedFile, preparedJson, prepareModel } from '../../models/prepared-model.js';
import { hasExactInt8 } from '../../runtime/int8-precision.js';
import { floatsOf, ONNX_RUNTIME_VERSION, OnnxModel } from '../../runtime/onnx-session.js';
import { FRAME_VALUES } from './frame-filter.js';
import { HIBARI_FILES, HibariGraphSplit, hibariRecipe } from './hibari-graph-split.js';

/**
 * Context frames of the decoder on each side of a window. Its convolutions reach 27 frames, but context beyond 12
 * frames changes less than the rounding of its 8-bit weights.
 */
const MARGIN = 12;

/** The encoder's output for one part of an utterance. */
export interface HibariPlan {
  /** Number of frames of 12.5 ms. */
  readonly frames: number;
  /** Duration of each id in pairs of frames. */
  readonly durations: Float32Array;
  /** Hz, for each frame; at most 40 in unvoiced frames. */
  readonly pitch: Float32Array;
  /** The decoder's input: `[channels, frames]`. */
  readonly features: Float32Array;
}

/**
 * The acoustic model of a hibari voice in two parts: the encoder reads a whole sentence, the decoder
 * computes its frames in windows, so that the first audio does not wait for the last.
 */
export class HibariModel {
  readonly #encoder: OnnxModel;
  readonly #decoder: OnnxModel;
  readonly #split: HibariGraphSplit;

  private constructor(encoder: OnnxModel, decoder: OnnxModel, split: HibariGraphSplit) {
    this.#encoder = encoder;
    this.#decoder = decoder;
    this.#split = split;
  }

  /**
   * @param preparedFolder - folder of prepared models; undefined prepares in memory
   * @throws MediaError MODEL_MISSING, MODEL_CORRUPT
   */
  static async load(file: string, preparedFolder: string | undefined): Promise<HibariModel> {
    const prepared = await prepareModel(file, hibariRecipe(await hasExactInt8()), {
      folder: preparedFolder,
      runtimeVersion: ONNX_RUNTIME_VERSION,
    });
    const open = (name: string) => OnnxModel.load(preparedFile(prepared, name));
    return new HibariModel(
      await open(HIBARI_FILES.encoder),
      await open(HIBARI_FILES.decoder),
      preparedJson(prepared, HIBARI_FILES.split, HibariGraphSplit),
    );
  }

  /** @param speed - 1 is the voice's normal speed; 0.5–2 */
  async encode(ids: readonly number[], speed: number): Promise<HibariPlan> {
    const output = await this.#encoder.run({
      ids: { data: BigInt64Array.from(ids, BigInt), dims: [1, ids.length] },
      speed: { data: Float32Array.of(speed), dims: [1] },
    });
    const pitch = floatsOf(output.f0);
    return {
      frames: pitch.length,
      durations: floatsOf(output[this.#split.durations]),
      pitch,
      features: floatsOf(output[this.#split.features]),
    };
  }

  /** Returns the spectra of the frames `from`…`to` (half-open), frame after frame. */
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
    const output = await this.#decoder.run({ [this.#split.features]: input });
    const spectra = floatsOf(output[this.#split.spectra]);
    return spectra.subarray((from - first) * FRAME_VALUES, (to - first) * FRAME_VALUES);
  }
}
