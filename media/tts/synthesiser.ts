import { linkedAbort } from '../async/linked-abort.js';
import type { AudioFormat } from '../codec/encoder.js';
import type { EncodeOptions, EncoderThread } from '../codec/encoder-thread.js';
import { MediaError } from '../errors.js';
import type { Priority } from '../runtime/cpu-scheduler.js';
import { PlaybackDeadline } from './playback-deadline.js';
import { speakParts, speakText } from './speak-text.js';
import type {
  SpeakOptions,
  SpeechChunk,
  SynthesisRequest,
  TextToSpeech,
} from './text-to-speech.js';

/** Duration of the file for a text without any speech, such as an emoji. */
const SILENCE_MS = 100;
/** Maximum size of a file that is buffered as a whole: over an hour, except at the highest rates. */
const MAX_WHOLE_BYTES = 268_435_456;

/** Voice and format of speech. */
export interface SpeechFormat {
  readonly voice: TextToSpeech;
  readonly format: AudioFormat;
}

/** A text with its voice and format. */
export interface SpeechJob extends SpeechFormat {
  readonly request: SynthesisRequest;
}

/** A whole file in chunks, and its length in bytes. */
export interface SpeechFile {
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
}

/**
 * Converts text to the bytes of a format, with any voice. For the speech API; calls use
 * `agents-runtime/output/tts-pipeline.ts`.
 */
export class Synthesiser {
  readonly #encoders: EncoderThread;

  constructor(encoders: EncoderThread) {
    this.#encoders = encoders;
  }

  /**
   * Yields the file in chunks. One chunk is synthesised while the previous one is encoded and consumed;
   * without a pull, synthesis stops. No job remains after the consumer returns.
   * @throws MediaError ABORTED when the signal fires.
   */
  stream(job: SpeechJob, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    return this.#encode(job, signal, (options) =>
      speakText(job.voice, job.request, { ...options, firstPriority: 'first-chunk' }),
    );
  }

  /**
   * Like `stream` for a text that arrives in parts, as one file.
   * @param parts - must end or throw when its signal fires, also while it waits
   */
  streamParts(
    job: SpeechFormat,
    parts: (signal: AbortSignal) => AsyncIterable<SynthesisRequest>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    return this.#encode(job, signal, (options) =>
      speakParts(job.voice, parts(options.signal), { ...options, firstPriority: 'first-chunk' }),
    );
  }

  /**
   * The whole file. If its header has a length, it is exact.
   * @throws MediaError ABORTED when the signal fires, TOO_LONG for a file beyond 256 MB.
   */
  async synthesiseFile(job: SpeechJob, signal: AbortSignal): Promise<SpeechFile> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    // The file is sent when it is complete, so its start is not urgent.
    const file = this.#encode(
      job,
      signal,
      (options) => speakText(job.voice, job.request, { ...options, firstPriority: 'later-chunk' }),
      'later-chunk',
    );
    for await (const piece of file) {
      pieces.push(piece);
      length += piece.length;
      if (length > MAX_WHOLE_BYTES) {
        throw new MediaError('TOO_LONG', 'The speech is too long to be kept whole');
      }
    }
    const head = job.format.headOfWhole?.(length);
    if (head) pieces[0]!.set(head);
    return { pieces, length };
  }

  async *#encode(
    { voice, format }: SpeechFormat,
    signal: AbortSignal,
    speak: (options: Omit<SpeakOptions, 'firstPriority'>) => AsyncGenerator<SpeechChunk>,
    firstPriority: Priority = 'first-chunk',
  ): AsyncGenerator<Uint8Array> {
    const stop = linkedAbort(signal);
    const deadline = new PlaybackDeadline();
    const chunks = speak({ signal: stop.signal, dueAt: () => deadline.dueAt() });
    const encoded = this.#encoders.open({ format: format.name, inputRate: voice.sampleRate });
    let priority = firstPriority;
    const options = (): EncodeOptions => ({
      priority,
      dueAt: deadline.dueAt(),
      signal: stop.signal,
    });
    try {
      let isSilent = true;
      let next = pull(chunks);
      for (;;) {
        const { done, value } = await next;
        if (done) break;
        isSilent = false;
        // Requests its CPU permit before the next chunk does, so that the first bytes are not delayed.
        const encoding = encoded.push(value.samples, options());
        deadline.add((1000 * value.samples.length) / voice.sampleRate);
        next = pull(chunks);
        const bytes = await encoding;
        if (bytes.length === 0) continue;
        priority = 'later-chunk';
        yield bytes;
      }
      if (isSilent) {
        const silence = await encoded.push(silenceAt(voice.sampleRate), options());
        if (silence.length > 0) yield silence;
      }
      const rest = await encoded.finish(options());
      if (rest.length > 0) yield rest;
    } finally {
      stop.abort();
      encoded.cancel();
      await chunks.return(undefined);
    }
  }
}

/** Requests the next chunk. A rejection is thrown where the result is awaited. */
function pull(chunks: AsyncGenerator<SpeechChunk>): Promise<IteratorResult<SpeechChunk>> {
  const next = chunks.next();
  next.catch(() => undefined);
  return next;
}

function silenceAt(sampleRate: number): Float32Array {
  return new Float32Array((sampleRate * SILENCE_MS) / 1000);
}
