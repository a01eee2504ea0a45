import type { MediaErrorCode } from '../errors.js';

/** More audio of one line. Lines are told apart by ids of the asking side. */
export interface RnnoiseBlock {
  readonly id: number;
  /** Only with a line's first part: how many of its samples are what came before, to learn the noise by. */
  readonly runIn?: number;
  /** Samples in the job's buffer. */
  readonly length: number;
  readonly isLast: boolean;
}

/** What became of one part. */
export type CleanedPart =
  | { readonly ok: true /** Samples in the answer's buffer. */; readonly length: number }
  /** The worker has forgotten this line; the others go on. */
  | { readonly ok: false; readonly code: MediaErrorCode; readonly message: string };

/** What the noise reduction's worker does. */
export type RnnoiseJobs = {
  /** Cleans the parts of many lines, one behind the other in `samples`; some come out later. */
  readonly clean: {
    readonly input: {
      readonly parts: readonly RnnoiseBlock[];
      readonly samples: Float32Array;
      /** Lines that are forgotten. */
      readonly closed: readonly number[];
    };
    readonly output: { readonly parts: readonly CleanedPart[]; readonly samples: Float32Array };
  };
  /** How many lines the worker remembers. */
  readonly count: { readonly input: null; readonly output: number };
};
