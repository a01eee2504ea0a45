import { readFile } from 'node:fs/promises';
import { env, InferenceSession, Tensor } from 'onnxruntime-node';
import { MediaError } from '../errors.js';

/** Values of a tensor, row-major: `Float32Array` is float32, `BigInt64Array` int64, `Uint8Array` bool. */
type OnnxData = Float32Array | BigInt64Array | Uint8Array;

/** A tensor. The runtime reads `data` in place, so it must not change during a run. */
export interface OnnxTensor {
  readonly data: OnnxData;
  readonly dims: readonly number[];
}

/** Tensors by the names of a model's inputs or outputs. */
export type OnnxTensors = Readonly<Record<string, OnnxTensor>>;

/** Options of `OnnxModel.load`. */
export interface OnnxModelOptions {
  /**
   * The model multiplies 8-bit integers. Default: false. Without VNNI (AMD before Zen 4, Intel before Cascade
   * Lake), the runtime adds products of unsigned and signed bytes in 16 bits, which can overflow. With this
   * option it adds them in 32 bits. Source: ONNX Runtime, quantisation, "When and why do I need to try U8U8?"
   */
  readonly isQuantised?: boolean;
}

/** Version of the installed ONNX runtime. */
export const ONNX_RUNTIME_VERSION = env.versions.node ?? env.versions.common;

/**
 * Models compute on the calling thread only. Idle threads of the runtime would spin and compete with the
 * threads of other models.
 */
const BASE_OPTIONS = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  graphOptimizationLevel: 'all',
  logSeverityLevel: 3,
} as const;

/** A model in the ONNX runtime. */
export class OnnxModel {
  readonly #session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  /**
   * @param model - content of an `.onnx` or `.ort` file
   * @throws MediaError MODEL_CORRUPT
   */
  static async load(
    model: Uint8Array,
    { isQuantised = false }: OnnxModelOptions = {},
  ): Promise<OnnxModel> {
    try {
      const session = await InferenceSession.create(model, {
        ...BASE_OPTIONS,
        ...(isQuantised && { extra: { session: { x64quantprecision: '1' } } }),
      });
      return new OnnxModel(session);
    } catch (cause) {
      throw new MediaError('MODEL_CORRUPT', 'The ONNX runtime could not load the model', { cause });
    }
  }

  /**
   * Applies the runtime's optimisations, so that the model loads faster. The result runs on any processor:
   * optimisations for the present one are added when it is loaded.
   * @param model - content of an `.onnx` file
   * @param workFile - path of a file to which the runtime writes the result; the caller removes it
   * @throws MediaError MODEL_CORRUPT
   */
  static async optimise(model: Uint8Array, workFile: string): Promise<Uint8Array> {
    try {
      const session = await InferenceSession.create(model, {
        ...BASE_OPTIONS,
        graphOptimizationLevel: 'extended',
        optimizedModelFilePath: workFile,
      });
      await session.release();
      return await readFile(workFile);
    } catch (cause) {
      throw new MediaError('MODEL_CORRUPT', 'The ONNX runtime could not optimise the model', {
        cause,
      });
    }
  }

  get inputNames(): readonly string[] {
    return this.#session.inputNames;
  }

  /**
   * Runs the model. Inputs and outputs are not copied.
   * @param feeds - the inputs by name; outputs of an earlier run are accepted
   * @param outputs - names of the outputs to compute; default: all
   */
  async run(feeds: OnnxTensors, outputs?: readonly string[]): Promise<OnnxTensors> {
    const tensors: Record<string, Tensor> = {};
    for (const name of Object.keys(feeds)) tensors[name] = toTensor(feeds[name]!);
    const results = outputs
      ? await this.#session.run(tensors, outputs)
      : await this.#session.run(tensors);
    // The models of this project have float32 and int64 outputs only.
    return results as OnnxTensors;
  }
}

/**
 * Returns the values of a float32 tensor.
 * @throws MediaError MODEL_CORRUPT if it is absent or of another type
 */
export function floatsOf(tensor: OnnxTensor | undefined): Float32Array {
  if (tensor?.data instanceof Float32Array) return tensor.data;
  throw new MediaError('MODEL_CORRUPT', 'An output of the model is absent or not float32');
}

/**
 * Returns the values of an int64 tensor.
 * @throws MediaError MODEL_CORRUPT if it is absent or of another type
 */
export function integersOf(tensor: OnnxTensor | undefined): BigInt64Array {
  if (tensor?.data instanceof BigInt64Array) return tensor.data;
  throw new MediaError('MODEL_CORRUPT', 'An output of the model is absent or not int64');
}

function toTensor(tensor: OnnxTensor): Tensor {
  if (tensor instanceof Tensor) return tensor;
  const { data, dims } = tensor;
  if (data instanceof Float32Array) return new Tensor('float32', data, dims);
  if (data instanceof BigInt64Array) return new Tensor('int64', data, dims);
  return new Tensor('bool', data, dims);
}
