import { readFile } from 'node:fs/promises';
import { InferenceSession } from 'onnxruntime-node';
import { MediaError } from '../errors.js';

/**
 * Loads a model for one thread: idle threads of the runtime spin and fight those of other models.
 *
 * @param preparedFile where the model is kept as the runtime has simplified it: it loads faster.
 * @throws MediaError MODEL_CORRUPT
 */
export async function openSession(
  model: Uint8Array,
  preparedFile?: string,
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
