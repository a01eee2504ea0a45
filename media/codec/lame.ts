export interface Mp3Options {
  /** Hz; one of MPEG 1's or MPEG 2's rates. */
  readonly sampleRate: number;
  readonly kilobitsPerSecond: 32 | 48 | 64 | 96 | 128 | 192;
  /** By default 1. */
  readonly channels?: 1 | 2;
}

/** LAME, set up for one stream. Its bytes end anywhere, and are valid until the next call. */
export interface Lame {
  /** At most 1,152 samples of each channel at a time. */
  encode(...channels: readonly Float32Array[]): Uint8Array;
  /** The last bytes; it is not used again. */
  finish(): Uint8Array;
}
