import { z } from 'zod';
import { MediaError } from '../../errors.js';

/** The used part of the file `.onnx.json` of a Piper voice. */
const File = z.object({
  audio: z.object({ sample_rate: z.int().min(8_000).max(48_000) }),
  espeak: z.object({ voice: z.string().regex(/^[\w-]{1,20}$/) }),
  inference: z.object({
    noise_scale: z.number().min(0).max(4).default(0.667),
    length_scale: z.number().min(0.1).max(10).default(1),
    noise_w: z.number().min(0).max(4).default(0.8),
  }),
  phoneme_id_map: z.record(z.string().max(8), z.array(z.int().nonnegative()).max(8)),
});

/** Settings of a voice. */
export interface PiperConfig {
  /** Hz. */
  readonly sampleRate: number;
  /** The phonemizer's name of the voice's language. */
  readonly phonemizerVoice: string;
  /** Standard deviation of the latent's noise. */
  readonly noiseScale: number;
  /** Factor of the durations at normal speed. */
  readonly lengthScale: number;
  /** Standard deviation of the durations' noise. */
  readonly noiseWidth: number;
  readonly phonemeIds: ReadonlyMap<string, readonly number[]>;
}

/**
 * Reads the settings of a voice.
 * @param bytes - content of its `.onnx.json`
 * @throws MediaError MODEL_CORRUPT
 */
export function parsePiperConfig(bytes: Uint8Array): PiperConfig {
  try {
    const file = File.parse(JSON.parse(new TextDecoder().decode(bytes)));
    return {
      sampleRate: file.audio.sample_rate,
      phonemizerVoice: file.espeak.voice,
      noiseScale: file.inference.noise_scale,
      lengthScale: file.inference.length_scale,
      noiseWidth: file.inference.noise_w,
      phonemeIds: new Map(Object.entries(file.phoneme_id_map)),
    };
  } catch (cause) {
    throw new MediaError('MODEL_CORRUPT', 'The configuration of a Piper voice is invalid', {
      cause,
    });
  }
}
