/**
 * Constants of the voice's spectrum.
 * Source: the host-side signal processing of the Python package hibari-tts 0.2.1.
 */
export const SAMPLE_RATE = 24_000;
/** Samples of a frame (50 ms), and from one frame to the next (12.5 ms). */
export const FRAME_LENGTH = 1200;
export const HOP = 300;
/** Frequencies of a frame, 0 to 12 kHz. */
export const BINS = FRAME_LENGTH / 2 + 1;
/** A phoneme lasts a whole number of these, two frames each. */
export const SAMPLES_PER_DURATION = 2 * HOP;
