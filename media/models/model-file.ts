import { readFile } from 'node:fs/promises';
import { MediaError } from '../errors.js';

/**
 * Reads a file of an installed model.
 * @param file - path
 * @throws MediaError MODEL_MISSING if it cannot be read
 */
export async function readModelFile(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new MediaError('MODEL_MISSING', `The model file ${file} cannot be read`, { cause });
  }
}
