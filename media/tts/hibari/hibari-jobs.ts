import type { Pronounced } from '../../text/dictionary/dictionary.js';
import type { StreamingJobs } from '../streaming/streaming-jobs.js';

/** Which files the worker of a voice reads. */
export interface HibariFiles {
  /** Folder with the data of the text front end. */
  readonly folder: string;
  readonly dialect: 'us' | 'gb';
  /** The acoustic model; a voice other than the default one reads the default one's text data. */
  readonly modelFile: string;
}

export interface HibariUtterance {
  /** Chosen by the client, unique among the worker's open utterances. */
  readonly id: number;
  readonly text: string;
  readonly pronounced: readonly Pronounced[];
  readonly temperature: number;
  readonly topP: number;
  readonly seed: number;
  readonly speed: number;
}

/** What the voice's worker does. */
export type HibariJobs = StreamingJobs<HibariUtterance>;
