import type { StreamingJobs } from '../streaming/streaming-jobs.js';
import type { PiperPhonemeIds } from './phoneme-ids.js';
import type { PiperSound } from './piper-model.js';

/** Which files the worker of a voice reads. */
export interface PiperFiles {
  readonly modelFile: string;
  readonly configFile: string;
  /** Where the parts of a cut graph are kept; in memory only where it is not given. */
  readonly cutFolder: string | undefined;
}

export interface PiperUtterance extends PiperSound {
  readonly id: number;
  /** The parts of the text, each to be spoken in one go. */
  readonly scripts: readonly PiperPhonemeIds[];
}

export type PiperJobs = StreamingJobs<PiperUtterance>;
