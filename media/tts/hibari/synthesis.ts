import { makeCurves } from './curves.js';
import { Excitation, VOICED_ABOVE } from './excitation.js';
import { Fft } from './fft.js';
import { FILTER_FRAMES, FrameFilters, type ModelFrames } from './filters.js';
import { makeQuantiles, type NoiseField } from './noise.js';
import { BINS, FRAME_LENGTH, HOP } from './signal.js';

/** Frames go through the Fourier transform two at a time, one as its real, one as its imaginary part. */
const PAIR = 2;
const HOPS_A_FRAME = FRAME_LENGTH / HOP;
/** Blocks of a hop that the source of a pair of frames spans. */
const SOURCE_BLOCKS = HOPS_A_FRAME + 1;
/** Hops before the middle of a frame: the output starts in the middle of the first one. */
const LEAD = HOPS_A_FRAME / 2;
/** Sum of the squared windows wherever four frames overlap. */
const WINDOW_SUM = 1.5;

/** Tables and work space that all utterances of a thread share; a `take` leaves nothing in them. */
export class SynthesisTools {
  readonly fft = new Fft(FRAME_LENGTH);
  readonly filters = new FrameFilters(makeCurves());
  readonly quantiles = makeQuantiles();
  /** Periodic Hann, and the same scaled for the way in and the way back. */
  readonly hann = Float64Array.from(
    { length: FRAME_LENGTH },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / FRAME_LENGTH),
  );
  /** A unit cosine gives magnitude 1; the half is for parting the spectra of a pair. */
  readonly analysis = this.hann.map((w) => w / (FRAME_LENGTH / 4) / 2);
  readonly synthesis = this.hann.map((w) => w / FRAME_LENGTH);
  readonly inRe = new Float64Array(FRAME_LENGTH);
  readonly inIm = new Float64Array(FRAME_LENGTH);
  readonly outRe = new Float64Array(FRAME_LENGTH);
  readonly outIm = new Float64Array(FRAME_LENGTH);
}

/**
 * Turns the model's frames into samples, piece by piece: a source of pulses, filtered, plus shaped
 * noise, plus a free part, then the inverse short-time Fourier transform. Between pieces it keeps the
 * source's phase and the overlap, so that a stream is what the whole would be.
 * Source: the signal chain of the Python package hibari-tts 0.2.1, rewritten for streaming.
 */
export class HibariSynthesis {
  readonly #model: ModelFrames;
  readonly #noise: NoiseField;
  readonly #tools: SynthesisTools;
  readonly #excitation: Excitation;
  readonly #skipped: number;
  readonly #source = new Float64Array(SOURCE_BLOCKS * HOP);
  readonly #overlap = new Float64Array(FRAME_LENGTH + HOP);
  /** Next frame to synthesise, next hop to hand out. */
  #frame: number;
  #hop: number;
  /** Blocks of the source made so far, and the last one with a voice in it. */
  #blocks = 0;
  #voicedBlock = -SOURCE_BLOCKS;

  /** @param skip hops at the start that are left out. */
  constructor(model: ModelFrames, noise: NoiseField, tools: SynthesisTools, skip = 0) {
    this.#model = model;
    this.#noise = noise;
    this.#tools = tools;
    this.#excitation = new Excitation(model.pitch);
    this.#skipped = Math.min(skip, model.frames);
    this.#hop = this.#skipped;
    this.#frame = Math.max(0, this.#skipped - 1);
    this.#openSource();
  }

  /** Hops (300 samples) still to come. */
  get hopsLeft(): number {
    return this.#model.frames - this.#hop;
  }

  /** The next `hops` hops of sound, or one more, or all that is left. */
  take(hops: number): Float32Array<ArrayBuffer> {
    const { frames } = this.#model;
    const wanted = Math.min(frames, this.#hop + hops + LEAD);
    const steps = Math.ceil((wanted - this.#frame) / PAIR);
    const endFrame = Math.min(frames, this.#frame + steps * PAIR);
    const endHop = endFrame === frames ? frames : endFrame - LEAD;
    const output = new Float32Array(Math.max(0, endHop - this.#hop) * HOP);
    let written = 0;
    const write = (block: number, at: number) => {
      if (this.#emit(block, at, output, written)) written += HOP;
    };
    while (this.#frame < endFrame) {
      const count = Math.min(FILTER_FRAMES, endFrame - this.#frame);
      const hasVoice = this.#makeFilters(count);
      for (let i = 0; i < count; i += PAIR) {
        this.#addPair(i, i + 1 < count, hasVoice);
        write(this.#frame, 0);
        write(this.#frame + 1, HOP);
        this.#advance();
      }
    }
    // The last frame's later blocks have no successor to wait for.
    for (let at = 0; this.#hop < endHop; at += HOP) write(this.#frame + at / HOP, at);
    return output;
  }

  /** Fills the source for the first pair; before the start it is the mirror of what follows. */
  #openSource(): void {
    const mirrored = Math.max(0, LEAD - this.#frame);
    for (let block = 0; block < this.#frame - LEAD; block++) this.#addBlock(0);
    for (let at = mirrored; at < SOURCE_BLOCKS; at++) this.#addBlock(at * HOP);
    const start = mirrored * HOP;
    for (let i = 1; i <= start; i++) this.#source[start - i] = this.#source[start + i]!;
  }

  /** Writes the next block of the source; after the end it is the mirror of what was before. */
  #addBlock(at: number): void {
    const source = this.#source;
    const block = this.#blocks++;
    if (block < this.#model.frames) {
      if (this.#excitation.next(source, at)) this.#voicedBlock = block;
    } else if (block === this.#model.frames) {
      for (let i = 0; i < HOP; i++) source[at + i] = source[at - 2 - i] ?? 0;
    } else {
      source.fill(0, at, at + HOP);
    }
  }

  #makeFilters(count: number): boolean {
    const { filters } = this.#tools;
    const from = this.#frame;
    // A frame hears the pitch of two hops to each side, and one more for the pitch's interpolation.
    const around = this.#model.pitch.subarray(Math.max(0, from - 4), from + count + 4);
    const hasVoice = around.some((hz) => hz > VOICED_ABOVE);
    if (hasVoice) filters.makeGains(this.#model, from, count);
    filters.makeSums(this.#model, this.#noise, from, count);
    return hasVoice;
  }

  /** Synthesises frames `index` and the next of the filters and adds them to the overlap. */
  #addPair(index: number, isWhole: boolean, hasVoice: boolean): void {
    const { fft, inRe, inIm, outRe, outIm, synthesis, filters } = this.#tools;
    const isVoiced = hasVoice && this.#voicedBlock >= this.#frame - LEAD;
    if (isVoiced) {
      this.#transformSource();
      filterVoiced(filters, index, isWhole, this.#tools);
    } else {
      filterVoiceless(filters, index, isWhole, this.#tools);
    }
    // Real and imaginary parts exchanged: the inverse transform.
    fft.transform(inIm, inRe, outIm, outRe);
    const overlap = this.#overlap;
    for (let i = 0; i < FRAME_LENGTH; i++) overlap[i]! += outRe[i]! * synthesis[i]!;
    if (!isWhole) return;
    for (let i = 0; i < FRAME_LENGTH; i++) overlap[i + HOP]! += outIm[i]! * synthesis[i]!;
  }

  /** Leaves the spectrum of two frames of the source in `outRe`, `outIm`. */
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

  /** Hands out one block of the overlap that no later frame adds to; false if it is not wanted. */
  #emit(block: number, at: number, output: Float32Array, written: number): boolean {
    const { frames } = this.#model;
    const hop = block - LEAD;
    if (hop !== this.#hop || written >= output.length) return false;
    const isInside = block >= HOPS_A_FRAME - 1 && block < frames;
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
      if (block - k < 0 || block - k >= this.#model.frames) continue;
      sum += this.#tools.hann[k * HOP + i]! ** 2;
    }
    return Math.max(sum, 1e-11);
  }
}

/**
 * Parts the spectra of a pair (`outRe`, `outIm`), filters both, and joins them for the inverse
 * transform in `inRe`, `inIm`.
 */
function filterVoiced(
  { gainRe, gainIm, sumRe, sumIm }: FrameFilters,
  index: number,
  isWhole: boolean,
  { outRe, outIm, inRe, inIm }: SynthesisTools,
): void {
  const second = isWhole ? 1 : 0;
  for (let k = 0; k < BINS; k++) {
    const mirror = k === 0 ? 0 : FRAME_LENGTH - k;
    const aRe = outRe[k]! + outRe[mirror]!;
    const aIm = outIm[k]! - outIm[mirror]!;
    const bRe = outIm[k]! + outIm[mirror]!;
    const bIm = outRe[mirror]! - outRe[k]!;
    const a = index * BINS + k;
    const b = a + second * BINS;
    const isReal = mirror === k || mirror === 0;
    const firstRe = gainRe[a]! * aRe - gainIm[a]! * aIm + sumRe[a]!;
    const firstIm = isReal ? 0 : gainRe[a]! * aIm + gainIm[a]! * aRe + sumIm[a]!;
    const nextRe = gainRe[b]! * bRe - gainIm[b]! * bIm + sumRe[b]!;
    const nextIm = isReal ? 0 : gainRe[b]! * bIm + gainIm[b]! * bRe + sumIm[b]!;
    inRe[mirror] = firstRe + nextIm;
    inIm[mirror] = nextRe - firstIm;
    inRe[k] = firstRe - nextIm;
    inIm[k] = firstIm + nextRe;
  }
}

/** The same for a pair without voice: only what is added is left. */
function filterVoiceless(
  { sumRe, sumIm }: FrameFilters,
  index: number,
  isWhole: boolean,
  { inRe, inIm }: SynthesisTools,
): void {
  const second = isWhole ? 1 : 0;
  for (let k = 0; k < BINS; k++) {
    const mirror = k === 0 ? 0 : FRAME_LENGTH - k;
    const a = index * BINS + k;
    const b = a + second * BINS;
    const isReal = mirror === k || mirror === 0;
    const firstIm = isReal ? 0 : sumIm[a]!;
    const nextIm = isReal ? 0 : sumIm[b]!;
    inRe[mirror] = sumRe[a]! + nextIm;
    inIm[mirror] = sumRe[b]! - firstIm;
    inRe[k] = sumRe[a]! - nextIm;
    inIm[k] = firstIm + sumRe[b]!;
  }
}
