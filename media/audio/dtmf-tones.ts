import { concat } from './pcm.js';

/** Frequencies in Hz of the keypad's rows and columns. Source: ITU-T Q.23. */
export const ROWS = [697, 770, 852, 941] as const;
export const COLUMNS = [1209, 1336, 1477, 1633] as const;
/** The keys, row by row. */
export const KEYS = '123A456B789C*0#D';

/** Whether the text is one character of `KEYS`. */
export function isDtmfDigit(text: string): boolean {
  return text.length === 1 && KEYS.includes(text);
}

/** Duration of a tone and of the pause after it, in ms. Every telephone exchange recognises tones of 65 ms. */
const TONE_MS = 100;
const GAP_MS = 80;
/** Duration of the pause for the character `w`, in ms. Carriers use this character for a wait. */
const WAIT_MS = 500;
/** Amplitude of each of the two tones, full scale 1: about −10 dBFS together. */
const AMPLITUDE = 0.16;
/** Fade at both ends of a tone, in ms, which avoids clicks. */
const RAMP_MS = 2;

/**
 * Renders keys as DTMF tones of 100 ms with a pause of 80 ms after each.
 * @param keys - characters of `KEYS`, and `w` for a pause of 500 ms; others are skipped
 * @param sampleRate - Hz; a multiple of 100
 * @returns mono samples in −1…1
 */
export function dtmfTones(keys: string, sampleRate: number): Float32Array {
  const parts = [...keys].map((key) => partOf(key, sampleRate));
  return concat(Float32Array, parts);
}

function partOf(key: string, sampleRate: number): Float32Array {
  if (key === 'w') return new Float32Array((sampleRate * WAIT_MS) / 1000);
  const index = KEYS.indexOf(key);
  if (index < 0) return new Float32Array(0);
  const out = new Float32Array((sampleRate * (TONE_MS + GAP_MS)) / 1000);
  const [row, column] = [ROWS[index >> 2]!, COLUMNS[index & 3]!];
  const length = (sampleRate * TONE_MS) / 1000;
  const ramp = (sampleRate * RAMP_MS) / 1000;
  for (let i = 0; i < length; i++) {
    const phase = (2 * Math.PI * i) / sampleRate;
    const gain = AMPLITUDE * Math.min(1, i / ramp, (length - i) / ramp);
    out[i] = gain * (Math.sin(phase * row) + Math.sin(phase * column));
  }
  return out;
}
