import type { Leg } from '../../../media/recording/spool-record.js';
import type { AudioChunk } from '../../../media/recording/spool-writer.js';

export const RATES = { caller: 16_000, agent: 24_000 };
export const CHUNK_MS = 100;

/** A chunk of audio whose samples depend on leg and position only. */
export function audioAt(leg: Leg, fromMs: number): AudioChunk {
  const at = (fromMs * RATES[leg]) / 1000;
  const length = (CHUNK_MS * RATES[leg]) / 1000;
  const samples = Int16Array.from({ length }, (_, i) => sampleAt(leg, at + i));
  return { leg, at, samples };
}

/** A tone with noise. */
export function sampleAt(leg: Leg, at: number): number {
  const noise = ((at * 48_271) % 211) - 105;
  return Math.round(6_000 * Math.sin(at * (leg === 'caller' ? 0.17 : 0.26))) + noise;
}
