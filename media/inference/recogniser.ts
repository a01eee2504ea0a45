import type { Priority } from './cpu-permits.js';

/** Speech → text for one piece of audio at a time. */
export interface Recogniser {
  readonly id: string;
  readonly languages: readonly string[];
  /**
   * @param samples mono at 16 kHz, at most 12 s; longer audio is an INVALID_INPUT.
   * @throws MediaError ABORTED when the signal fires before the job has begun.
   */
  transcribe(
    samples: Float32Array,
    options: { readonly priority: Priority; readonly signal?: AbortSignal },
  ): Promise<string>;
}
