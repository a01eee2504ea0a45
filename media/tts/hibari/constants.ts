/**
 * Sample rate of the voices in Hz. Source of the constants in this file: the host-side signal processing of the
 * Python package hibari-tts 0.2.1.
 */
export const SAMPLE_RATE = 24_000;
/** Length of a frame (50 ms) and of a hop (12.5 ms), in samples. */
export const FRAME_LENGTH = 1200;
export const HOP = 300;
/** Number of frequency bins of a frame, 0–12 kHz. */
export const BINS = FRAME_LENGTH / 2 + 1;
/** Samples of one unit of phoneme durations: two hops. */
export const SAMPLES_PER_DURATION = 2 * HOP;
