import { readFile } from 'node:fs/promises';
import { InferenceSession } from 'onnxruntime-node';
import { MediaError } from '../errors.js';

export interface SessionOptions {
  /** Where the model is kept as the runtime has simplified it: it loads faster. */
  readonly preparedFile?: string;
  /**
   * The model multiplies 8-bit integers. Without VNNI (AMD before Zen 4, Intel before Cascade Lake) the
   * runtime adds products of unsigned and signed bytes in 16 bits, which overflow; with this it adds
   * them in 32 bits there. Source: ONNX Runtime, quantisation, "When and why do I need to try U8U8?"
   */
  readonly isQuantised?: boolean;
}

/**
 * Loads a model for one thread: idle threads of the runtime spin and fight those of other models.
 * @throws MediaError MODEL_CORRUPT
 */
export async function openSession(
  model: Uint8Array,
  { preparedFile, isQuantised = false }: SessionOptions = {},
): Promise<InferenceSession> {
  // What is kept must do for any processor; what only fits this one is added when it is loaded.
  const prepared = preparedFile && {
    optimizedModelFilePath: preparedFile,
    graphOptimizationLevel: 'extended' as const,
  };
  try {
    return await InferenceSession.create(model, {
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      graphOptimizationLevel: 'all',
      logSeverityLevel: 3,
      ...(isQuantised && { extra: { session: { x64quantprecision: '1' } } }),
      ...prepared,
    });
  } catch (cause) {
    throw new MediaError('MODEL_CORRUPT', 'A model could not be loaded', { cause });
  }
}

/**
 * Reads a file of a model.
 * @throws MediaError MODEL_MISSING
 */
export async function bytesOf(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new MediaError('MODEL_MISSING', `There is no readable file ${file}`, { cause });
  }
}
