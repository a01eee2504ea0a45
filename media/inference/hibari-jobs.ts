import type { Pronounced } from '../tts/dictionary/dictionary.js';
import type { WordTime } from '../tts/voice-model.js';

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

export interface HibariPiece {
  readonly samples: Float32Array<ArrayBuffer>;
  /** Words that begin with this piece; later ones may follow when a long text goes on. */
  readonly words: readonly WordTime[];
  /** Nothing follows, and the worker has forgotten the utterance. */
  readonly isLast: boolean;
}

/** What the voice's worker does. */
export type HibariJobs = {
  /** Loads everything and speaks a little to itself, so that the first caller finds it fast. */
  readonly warm: { readonly input: null; readonly output: null };
  readonly begin: { readonly input: HibariUtterance; readonly output: HibariPiece };
  readonly next: { readonly input: { readonly id: number }; readonly output: HibariPiece };
  readonly cancel: { readonly input: { readonly id: number }; readonly output: null };
  /** How many utterances it keeps something of. */
  readonly count: { readonly input: null; readonly output: number };
};
