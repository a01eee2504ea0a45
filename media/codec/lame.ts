/** Settings of an MP3 stream with a constant bit rate. */
export interface Mp3Options {
  /** Hz: 16,000, 22,050, 24,000, 32,000, 44,100 or 48,000. */
  readonly sampleRate: number;
  readonly kilobitsPerSecond: 32 | 48 | 64 | 96 | 128 | 192;
  /** Default: 1. */
  readonly channels?: 1 | 2;
}

/** LAME for one stream. Its output may end within an MP3 frame and is valid until the next call. */
export interface Lame {
  /** @param channels - samples of each channel in −1…1, at most 1,152 of each, the same number of each */
  encode(...channels: readonly Float32Array[]): Uint8Array;
  /** Ends the stream. @returns the last bytes */
  finish(): Uint8Array;
}
