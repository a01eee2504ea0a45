export interface Mp3Options {
  /** Hz; one of MPEG 1's or MPEG 2's rates. */
  readonly sampleRate: number;
  readonly kilobitsPerSecond: 32 | 48 | 64 | 96 | 128 | 192;
  /** By default 1. */
  readonly channels?: 1 | 2;
}

/** LAME for one stream. Its output may end within a frame and is valid until the next call. */
export interface Lame {
  /** At most 1,152 samples of each channel at a time. */
  encode(...channels: readonly Float32Array[]): Uint8Array;
  /** Ends the stream. @returns the last bytes */
  finish(): Uint8Array;
}
