import type { Leg } from '../../../media/recording/spool-record.js';
import type { AudioChunk } from '../../../media/recording/spool-writer.js';

export const RATES = { caller: 16_000, agent: 24_000 };
export const PIECE_MS = 100;

/** Some sound of a leg, which its place alone tells. */
export function soundAt(leg: Leg, fromMs: number): AudioChunk {
  const at = (fromMs * RATES[leg]) / 1000;
  const length = (PIECE_MS * RATES[leg]) / 1000;
  const samples = Int16Array.from({ length }, (_, i) => sampleAt(leg, at + i));
  return { leg, at, samples };
}

/** A tone with some noise on it. */
export function sampleAt(leg: Leg, at: number): number {
  const noise = ((at * 48_271) % 211) - 105;
  return Math.round(6_000 * Math.sin(at * (leg === 'caller' ? 0.17 : 0.26))) + noise;
}
