import { concat } from '../../../../media/audio/pcm.js';
import { Resampler } from '../../../../media/audio/resampler.js';
import type { TextToSpeech } from '../../../../media/tts/text-to-speech.js';
import type { SpokenTurn } from '../../corpora/spoken-turns.js';

/** Sample rate of all takes in Hz. */
export const RATE = 16_000;
/** Silence before and after the turn, in seconds. */
const LEAD_SECONDS = 0.8;
const TAIL_SECONDS = 4.5;
const PAUSE_MARK = /\s*\|(\d+)\|\s*/g;

/** A voice and its speed. */
export interface Caller {
  readonly voice: TextToSpeech;
  readonly speed: number;
}

/** A turn as audio: −1…1 at 16 kHz, with the position of the last speech sample. */
export interface Take {
  readonly turn: SpokenTurn;
  readonly voice: string;
  readonly samples: Float32Array<ArrayBuffer>;
  readonly endSample: number;
  /** Pauses inside the turn, in milliseconds. */
  readonly pauses: readonly number[];
}

/** Synthesises a turn without pauses, then inserts its pauses between the words. */
export async function takeOf(turn: SpokenTurn, { voice, speed }: Caller): Promise<Take> {
  const text = turn.text.replace(PAUSE_MARK, ' ');
  const { samples, words } = await spoken(text, voice, speed);
  const pauses: number[] = [];
  const parts: Float32Array[] = [new Float32Array(LEAD_SECONDS * RATE)];
  let from = 0;
  let removed = 0;
  for (const mark of turn.text.matchAll(PAUSE_MARK)) {
    const at = mark.index - removed;
    removed += mark[0].length - 1;
    const next = words.find(({ textStart }) => textStart >= at);
    if (!next) throw new Error(`No word after the pause in: ${turn.text}`);
    const cut = quietest(samples, next.startSample - 0.12 * RATE, next.startSample + 0.06 * RATE);
    const ms = Number(mark[1]);
    parts.push(faded(samples.slice(from, cut)), new Float32Array((RATE * ms) / 1000));
    pauses.push(ms);
    from = cut;
  }
  parts.push(faded(samples.slice(from)), new Float32Array(TAIL_SECONDS * RATE));
  const said = concat(Float32Array, parts);
  return { turn, voice: voice.id, samples: said, endSample: lastSpeech(said), pauses };
}

/** Adds noise `snr` dB below the level of the speech; the same noise each time. */
export function withNoise(take: Take, snr: number): Take {
  let energy = 0;
  let spokenSamples = 0;
  for (const sample of take.samples) {
    if (Math.abs(sample) < 0.003) continue;
    energy += sample * sample;
    spokenSamples++;
  }
  const power = energy / Math.max(1, spokenSamples);
  const noise = roomNoise(take.samples.length, Math.sqrt(power / 10 ** (snr / 10)));
  return { ...take, samples: take.samples.map((sample, i) => sample + noise[i]!) };
}

/** Pink noise of the given RMS level. Source: P. Kellet's filter, musicdsp.org 76. */
export function roomNoise(length: number, level: number): Float32Array<ArrayBuffer> {
  const random = randomness(7);
  const noise = new Float32Array(length);
  let [b0, b1, b2] = [0, 0, 0];
  let energy = 0;
  for (let i = 0; i < length; i++) {
    const white = random() * 2 - 1;
    b0 = 0.99765 * b0 + white * 0.099046;
    b1 = 0.963 * b1 + white * 0.2965164;
    b2 = 0.57 * b2 + white * 1.0526913;
    noise[i] = b0 + b1 + b2 + white * 0.1848;
    energy += noise[i]! * noise[i]!;
  }
  const gain = level / Math.sqrt(energy / length);
  return noise.map((sample) => sample * gain);
}

/** Uniform numbers in 0…1, reproducible by seed. Source: mulberry32. */
export function randomness(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

async function spoken(text: string, voice: TextToSpeech, speed: number) {
  const resampler = new Resampler(voice.sampleRate, RATE);
  const ratio = RATE / voice.sampleRate;
  const parts: Float32Array[] = [];
  const words: { textStart: number; startSample: number }[] = [];
  const keep = (part: Float32Array) => parts.push(part.slice());
  const utterance = { text, language: 'en', temperature: 1, topP: 0.8, seed: 1, speed };
  const { signal } = new AbortController();
  for await (const chunk of voice.speak(utterance, { signal, firstPriority: 'first-chunk' })) {
    resampler.push(chunk.samples, keep);
    for (const { textStart, startSample } of chunk.words) {
      words.push({ textStart, startSample: startSample * ratio });
    }
  }
  resampler.flush(keep);
  const samples = concat(Float32Array, parts);
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  // Normalises the peak, so that all voices are equally loud.
  return { samples: samples.map((sample) => (sample * 0.5) / peak), words };
}

function quietest(samples: Float32Array, start: number, end: number): number {
  const window = 160;
  let best = Math.max(0, Math.round(start));
  let least = Number.POSITIVE_INFINITY;
  for (let at = best; at + window <= Math.min(end, samples.length); at += window / 4) {
    let energy = 0;
    for (let i = at; i < at + window; i++) energy += samples[i]! * samples[i]!;
    if (energy < least) {
      least = energy;
      best = at + window / 2;
    }
  }
  return best;
}

/** Fades both ends to avoid clicks at the cuts. */
function faded(samples: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  const length = Math.min(80, samples.length);
  for (let i = 0; i < length; i++) {
    samples[i]! *= i / length;
    samples[samples.length - 1 - i]! *= i / length;
  }
  return samples;
}

/** The end of the last 10 ms window within 36 dB of the loudest one. */
function lastSpeech(samples: Float32Array): number {
  const window = 160;
  const energies: number[] = [];
  for (let at = 0; at + window <= samples.length; at += window) {
    let energy = 0;
    for (let i = at; i < at + window; i++) energy += samples[i]! * samples[i]!;
    energies.push(energy);
  }
  const floor = Math.max(...energies) * 10 ** -3.6;
  return (energies.findLastIndex((energy) => energy > floor) + 1) * window;
}
