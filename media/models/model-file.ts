import { readFile } from 'node:fs/promises';
import { MediaError } from '../errors.js';

/**
 * Reads a file of an installed model.
 * @throws MediaError MODEL_MISSING
 */
export async function readModelFile(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new MediaError('MODEL_MISSING', `There is no readable file ${file}`, { cause });
  }
}
