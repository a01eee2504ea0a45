import { z } from 'zod';
import { MediaError } from '../../errors.js';

const Vocabulary = z.record(z.string(), z.int().nonnegative());

/**
 * Reads the id of each phoneme.
 * @param bytes - content of a voice's `vocab.json`
 * @throws MediaError MODEL_CORRUPT
 */
export function parseVocabulary(bytes: Uint8Array): ReadonlyMap<string, number> {
  try {
    return new Map(Object.entries(Vocabulary.parse(JSON.parse(new TextDecoder().decode(bytes)))));
  } catch (cause) {
    throw new MediaError('MODEL_CORRUPT', 'The file vocab.json of a voice is invalid', { cause });
  }
}
