import { Fft } from '../../audio/fft.js';
import { BINS, FRAME_LENGTH, HOP } from './constants.js';
import { Excitation } from './excitation.js';
import { FRAME_VALUES, FrameFilter } from './frame-filter.js';
import { makeLookupTables } from './lookup-tables.js';
import { makeQuantiles, type NoiseField } from './noise-field.js';

/** Two frames share one Fourier transform: one as the real part, one as the imaginary part. */
const PAIR = 2;
const HOPS_A_FRAME = FRAME_LENGTH / HOP;
/** Blocks of a hop that the source of a pair of frames spans. */
const SOURCE_BLOCKS = HOPS_A_FRAME + 1;
/** Hops before the middle of a frame: the output starts in the middle of the first one. */
const LEAD = HOPS_A_FRAME / 2;
/** Sum of the squared windows wherever four frames overlap. */
const WINDOW_SUM = 1.5;

/** Tables and temporary buffers that all utterances of a thread share. They have no state between calls of `add`. */
export class SynthesisTools {
  readonly fft = new Fft(FRAME_LENGTH);
  readonly #tables = makeLookupTables();
  readonly first = new FrameFilter(this.#tables);
  readonly second = new FrameFilter(this.#tables);
  readonly quantiles = makeQuantiles();
  /** Periodic Hann window, and the same scaled for the forward and the inverse transform. */
  readonly hann = Float64Array.from(
    { length: FRAME_LENGTH },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / FRAME_LENGTH),
  );
  /** A unit cosine gives magnitude 1. The factor ½ belongs to the separation of the two spectra. */
  readonly analysis = this.hann.map((w) => w / (FRAME_LENGTH / 4) / 2);
  readonly synthesis = this.hann.map((w) => w / FRAME_LENGTH);
  readonly inRe = new Float64Array(FRAME_LENGTH);
  readonly inIm = new Float64Array(FRAME_LENGTH);
  readonly outRe = new Float64Array(FRAME_LENGTH);
  readonly outIm = new Float64Array(FRAME_LENGTH);
}

/**
 * Converts the model's frames to samples: filtered pulses, shaped noise and a residual are added, then the
 * inverse short-time Fourier transform follows. The phase of the pulses and the overlap are stored between calls,
 * so the result does not depend on the chunk lengths.
 * Source: the signal chain of the Python package hibari-tts 0.2.1, rewritten for streaming.
 */
export class HibariSynthesis {
  readonly #frames: number;
  readonly #noise: NoiseField;
  readonly #tools: SynthesisTools;
  readonly #excitation: Excitation;
  readonly #source = new Float64Array(SOURCE_BLOCKS * HOP);
  readonly #overlap = new Float64Array(FRAME_LENGTH + HOP);
  /** Next frame to synthesise, next hop to return. */
  #frame: number;
  #hop: number;
  /** Blocks of the source computed so far, and the last voiced one. */
  #blocks = 0;
  #voicedBlock = -SOURCE_BLOCKS;

  /**
   * @param pitch Hz, a value for each frame of the utterance.
   * @param skip hops at the start that are left out.
   */
  constructor(pitch: Float32Array, noise: NoiseField, tools: SynthesisTools, skip = 0) {
    this.#frames = pitch.length;
    this.#noise = noise;
    this.#tools = tools;
    this.#excitation = new Excitation(pitch);
    this.#hop = Math.min(skip, this.#frames);
    this.#frame = Math.max(0, this.#hop - 1);
    this.#openSource();
  }

  /** The frame with which the next `add` must start. */
  get nextFrame(): number {
    return Math.min(this.#frame, this.#frames);
  }

  /** Frames still to be added. */
  get framesLeft(): number {
    return this.#frames - this.nextFrame;
  }

  /**
   * Adds the next `count` frames: an even number, except at the end of the utterance.
   *
   * @param spectra frame after frame, from `nextFrame` on.
   * @returns the samples that no later frame changes.
   */
  add(spectra: Float32Array, count: number): Float32Array<ArrayBuffer> {
    const endFrame = this.#frame + count;
    const endHop = endFrame >= this.#frames ? this.#frames : endFrame - LEAD;
    const output = new Float32Array(Math.max(0, endHop - this.#hop) * HOP);
    let written = 0;
    const write = (block: number, at: number) => {
      if (this.#emit(block, at, output, written)) written += HOP;
    };
    for (let i = 0; i < count; i += PAIR) {
      this.#addPair(spectra, i * FRAME_VALUES, i + 1 < count);
      write(this.#frame, 0);
      write(this.#frame + 1, HOP);
      this.#advance();
    }
    // The last frame's later blocks have no successor to wait for.
    for (let at = 0; this.#hop < endHop; at += HOP) write(this.#frame + at / HOP, at);
    return output;
  }

  /** Fills the source for the first pair. Before the start, the source is mirrored. */
  #openSource(): void {
    const mirrored = Math.max(0, LEAD - this.#frame);
    for (let block = 0; block < this.#frame - LEAD; block++) this.#addBlock(0);
    for (let at = mirrored; at < SOURCE_BLOCKS; at++) this.#addBlock(at * HOP);
    const start = mirrored * HOP;
    for (let i = 1; i <= start; i++) this.#source[start - i] = this.#source[start + i]!;
  }

  /** Writes the next block of the source. After the end, the source is mirrored. */
  #addBlock(at: number): void {
    const source = this.#source;
    const block = this.#blocks++;
    if (block < this.#frames) {
      if (this.#excitation.next(source, at)) this.#voicedBlock = block;
    } else if (block === this.#frames) {
      for (let i = 0; i < HOP; i++) source[at + i] = source[at - 2 - i] ?? 0;
    } else {
      source.fill(0, at, at + HOP);
    }
  }

  /** Synthesises the frame at `at` of `spectra`, and the one after it, and adds them to the overlap. */
  #addPair(spectra: Float32Array, at: number, isWhole: boolean): void {
    const { fft, first, second, inRe, inIm, outRe, outIm, synthesis } = this.#tools;
    const next = isWhole ? at + FRAME_VALUES : at;
    first.makeSum(spectra, at, this.#noise, this.#frame);
    second.makeSum(spectra, next, this.#noise, this.#frame + 1);
    if (this.#voicedBlock >= this.#frame - LEAD) {
      first.makeGain(spectra, at);
      second.makeGain(spectra, next);
      this.#transformSource();
      joinVoiced(this.#tools);
    } else {
      joinVoiceless(this.#tools);
    }
    // Real and imaginary parts exchanged: the inverse transform.
    fft.transform(inIm, inRe, outIm, outRe);
    const overlap = this.#overlap;
    for (let i = 0; i < FRAME_LENGTH; i++) overlap[i]! += outRe[i]! * synthesis[i]!;
    if (!isWhole) return;
    for (let i = 0; i < FRAME_LENGTH; i++) overlap[i + HOP]! += outIm[i]! * synthesis[i]!;
  }

  /** Computes the spectrum of two frames of the source into `outRe` and `outIm`. */
  #transformSource(): void {
    const { fft, inRe, inIm, outRe, outIm, analysis } = this.#tools;
    const source = this.#source;
    for (let i = 0; i < FRAME_LENGTH; i++) {
      inRe[i] = source[i]! * analysis[i]!;
      inIm[i] = source[i + HOP]! * analysis[i]!;
    }
    fft.transform(inRe, inIm, outRe, outIm);
  }

  #advance(): void {
    this.#source.copyWithin(0, PAIR * HOP);
    for (let at = SOURCE_BLOCKS - PAIR; at < SOURCE_BLOCKS; at++) this.#addBlock(at * HOP);
    this.#overlap.copyWithin(0, PAIR * HOP);
    this.#overlap.fill(0, this.#overlap.length - PAIR * HOP);
    this.#frame += PAIR;
  }

  /** Returns one block of the overlap that is complete; false if it is skipped. */
  #emit(block: number, at: number, output: Float32Array, written: number): boolean {
    const hop = block - LEAD;
    if (hop !== this.#hop || written >= output.length) return false;
    const isInside = block >= HOPS_A_FRAME - 1 && block < this.#frames;
    for (let i = 0; i < HOP; i++) {
      const sum = isInside ? WINDOW_SUM : this.#windowSum(block, i);
      output[written + i] = this.#overlap[at + i]! / sum;
    }
    this.#hop++;
    return true;
  }

  #windowSum(block: number, i: number): number {
    let sum = 0;
    for (let k = 0; k < HOPS_A_FRAME; k++) {
      if (block - k < 0 || block - k >= this.#frames) continue;
      sum += this.#tools.hann[k * HOP + i]! ** 2;
    }
    return Math.max(sum, 1e-11);
  }
}

/**
 * Separates the spectra of a pair (`outRe`, `outIm`), filters both, and combines them in `inRe` and `inIm` for the
 * inverse transform.
 */
function joinVoiced({ first, second, outRe, outIm, inRe, inIm }: SynthesisTools): void {
  for (let k = 0; k < BINS; k++) {
    const mirror = k === 0 ? 0 : FRAME_LENGTH - k;
    const aRe = outRe[k]! + outRe[mirror]!;
    const aIm = outIm[k]! - outIm[mirror]!;
    const bRe = outIm[k]! + outIm[mirror]!;
    const bIm = outRe[mirror]! - outRe[k]!;
    const gRe = first.gainRe[k]!;
    const gIm = first.gainIm[k]!;
    const hRe = second.gainRe[k]!;
    const hIm = second.gainIm[k]!;
    const oneRe = gRe * aRe - gIm * aIm + first.sumRe[k]!;
    const twoRe = hRe * bRe - hIm * bIm + second.sumRe[k]!;
    // The lowest and the highest bin of a real signal are real.
    const isReal = mirror === k;
    const oneIm = isReal ? 0 : gRe * aIm + gIm * aRe + first.sumIm[k]!;
    const twoIm = isReal ? 0 : hRe * bIm + hIm * bRe + second.sumIm[k]!;
    inRe[mirror] = oneRe + twoIm;
    inIm[mirror] = twoRe - oneIm;
    inRe[k] = oneRe - twoIm;
    inIm[k] = oneIm + twoRe;
  }
}

/** The same for an unvoiced pair: only the noise and the residual. */
function joinVoiceless({ first, second, inRe, inIm }: SynthesisTools): void {
  for (let k = 0; k < BINS; k++) {
    const mirror = k === 0 ? 0 : FRAME_LENGTH - k;
    const isReal = mirror === k;
    const oneIm = isReal ? 0 : first.sumIm[k]!;
    const twoIm = isReal ? 0 : second.sumIm[k]!;
    inRe[mirror] = first.sumRe[k]! + twoIm;
    inIm[mirror] = second.sumRe[k]! - oneIm;
    inRe[k] = first.sumRe[k]! - twoIm;
    inIm[k] = oneIm + second.sumRe[k]!;
  }
}
