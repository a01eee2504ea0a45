import { readFile } from 'node:fs/promises';
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { z } from 'zod';
import { MediaError } from '../errors.js';
import type { ModelFrames } from '../tts/hibari/filters.js';
import { withOutput } from './onnx-outputs.js';
import { openSession } from './sessions.js';

const Vocabulary = z.record(z.string(), z.int().nonnegative());

/** The tensor with the number of frame pairs of each id, inside the graph. */
const DURATIONS = '/Clip_output_0';

/** What the graph makes of one part of a script. */
export interface HibariSpectra {
  readonly frames: ModelFrames;
  /** Of each id, in pairs of frames (25 ms). */
  readonly durations: Float32Array;
}

/** The acoustic model of a hibari voice: ids of phonemes in, spectra of frames out. */
export class HibariModel {
  readonly #session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  /** @throws MediaError MODEL_MISSING, MODEL_CORRUPT. */
  static async load(file: string): Promise<HibariModel> {
    return new HibariModel(await openSession(withOutput(await bytesOf(file), DURATIONS)));
  }

  /** @param speed 1 is the voice's own pace; 0.5–2. */
  async run(ids: readonly number[], speed: number): Promise<HibariSpectra> {
    const output = await this.#session.run({
      ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]),
      speed: new Tensor('float32', Float32Array.of(speed), [1]),
    });
    const floats = (name: string) => output[name]!.data as Float32Array;
    const pitch = floats('f0');
    return {
      durations: floats(DURATIONS),
      frames: {
        frames: pitch.length,
        logHarmonic: floats('lh'),
        theta: floats('theta'),
        logNoise: floats('ln'),
        logRest: floats('lr'),
        phi: floats('phi'),
        pitch,
      },
    };
  }
}

/**
 * Reads the id of each phoneme.
 * @throws MediaError MODEL_MISSING, MODEL_CORRUPT.
 */
export async function readVocabulary(file: string): Promise<ReadonlyMap<string, number>> {
  const bytes = await bytesOf(file);
  try {
    return new Map(Object.entries(Vocabulary.parse(JSON.parse(new TextDecoder().decode(bytes)))));
  } catch (cause) {
    throw new MediaError('MODEL_CORRUPT', 'The vocabulary of a voice cannot be read', { cause });
  }
}

async function bytesOf(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new MediaError('MODEL_MISSING', `There is no readable file ${file}`, { cause });
  }
}
