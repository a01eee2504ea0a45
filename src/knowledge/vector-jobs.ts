import type { NearPassage } from './nearest-passages.js';

/** Vectors of one length, one after the other, and the passage that each belongs to. */
export interface PassageVectors {
  /** A passage's vectors stand side by side, and all of them in one part. */
  readonly ids: Float64Array<ArrayBuffer>;
  readonly vectors: Float32Array<ArrayBuffer>;
}

export interface NearestAsked {
  readonly query: Float32Array;
  readonly limit: number;
}

/** What the thread does that keeps vectors and compares them. */
export type VectorJobs = {
  /** Makes a set that is not there yet. */
  readonly add: {
    readonly input: { readonly set: number; readonly part: PassageVectors };
    readonly output: undefined;
  };
  readonly drop: { readonly input: { readonly set: number }; readonly output: undefined };
  /** Undefined where the set is not there: it was dropped, or died with the thread. */
  readonly nearest: {
    readonly input: NearestAsked & { readonly set: number };
    readonly output: readonly NearPassage[] | undefined;
  };
};
