import { InferenceSession } from 'onnxruntime-node';
import { MediaError } from '../errors.js';

/**
 * Loads a model for one thread: idle threads of the runtime spin and fight those of other models.
 * @throws MediaError MODEL_CORRUPT
 */
export async function openSession(model: Uint8Array | string): Promise<InferenceSession> {
  const options: InferenceSession.SessionOptions = {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
  };
  try {
    return typeof model === 'string'
      ? await InferenceSession.create(model, options)
      : await InferenceSession.create(model, options);
  } catch (cause) {
    throw new MediaError('MODEL_CORRUPT', 'A model could not be loaded', { cause });
  }
}
