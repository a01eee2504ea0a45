import { linkedAbort } from '../async/linked-abort.js';
import type { AudioFormat } from '../codec/encoder.js';
import type { EncodeOptions, EncoderThread } from '../codec/encoder-thread.js';
import { MediaError } from '../errors.js';
import type { Priority } from '../runtime/cpu-scheduler.js';
import { speakChunks, speakText } from './speak-text.js';
import type {
  SpeakOptions,
  SpeechChunk,
  SynthesisRequest,
  TextToSpeech,
} from './text-to-speech.js';

/** What a text without a single sound in it (an emoji, say) becomes: a short silence, a valid file. */
const SILENCE_MS = 100;
/** Largest file that is kept to be sent whole: over an hour, but for the highest rates. */
const MAX_WHOLE_BYTES = 268_435_456;

/** How a text is to sound. */
export interface SpeechSound {
  readonly voice: TextToSpeech;
  readonly format: AudioFormat;
}

/** A text and how it is to sound. */
export interface SpeechJob extends SpeechSound {
  readonly text: SynthesisRequest;
}

/** A whole file in pieces, and its length in bytes. */
export interface SpeechFile {
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
}

/**
 * How far a stream of speech is ahead of a listener who began to listen when it began, and plays at
 * the speed of life. Who made much is in no hurry; who is about to run dry goes first.
 */
export class PlaybackDeadline {
  #dryAt: number;

  /** @param now ms of `performance.now()`. */
  constructor(now = performance.now()) {
    this.#dryAt = now;
  }

  /** When the listener has heard everything; now, if that was before: silence is no debt. */
  dueAt(now = performance.now()): number {
    this.#dryAt = Math.max(this.#dryAt, now);
    return this.#dryAt;
  }

  /** So much more has been made. */
  made(ms: number): void {
    this.#dryAt += ms;
  }
}

/** Text → bytes of a format, by any voice. */
export class Synthesiser {
  readonly #encoders: EncoderThread;

  constructor(encoders: EncoderThread) {
    this.#encoders = encoders;
  }

  /**
   * The file in pieces as they are made. One chunk is spoken while the one before it is encoded and
   * sent, no more: who stops pulling stops the synthesis. A consumer that returns leaves no job behind.
   * @throws MediaError ABORTED when the signal fires.
   */
  stream(job: SpeechJob, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    return this.#encode(job, signal, (options) =>
      speakText(job.voice, job.text, { ...options, firstPriority: 'first-chunk' }),
    );
  }

  /**
   * The same of a text that comes in pieces: one file, which goes on whenever there is a piece.
   * @param pieces must end, or throw, when its signal fires, even while it waits.
   */
  streamPieces(
    job: SpeechSound,
    pieces: (signal: AbortSignal) => AsyncIterable<SynthesisRequest>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    return this.#encode(job, signal, (options) =>
      speakChunks(job.voice, pieces(options.signal), { ...options, firstPriority: 'first-chunk' }),
    );
  }

  /**
   * The whole file; where its start says its length, it says the right one.
   * @throws MediaError ABORTED when the signal fires, TOO_LONG for a file beyond 256 MB.
   */
  async whole(job: SpeechJob, signal: AbortSignal): Promise<SpeechFile> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    // Nobody hears the start before the end is made, so it is no more urgent than the rest.
    const file = this.#encode(
      job,
      signal,
      (options) => speakText(job.voice, job.text, { ...options, firstPriority: 'later-chunk' }),
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
    { voice, format }: SpeechSound,
    signal: AbortSignal,
    speak: (options: Omit<SpeakOptions, 'firstPriority'>) => AsyncGenerator<SpeechChunk>,
    firstPriority: Priority = 'first-chunk',
  ): AsyncGenerator<Uint8Array> {
    const stop = linkedAbort(signal);
    const runway = new PlaybackDeadline();
    const chunks = speak({ signal: stop.signal, dueAt: () => runway.dueAt() });
    const encoded = this.#encoders.open({ format: format.name, inputRate: voice.sampleRate });
    let priority = firstPriority;
    const options = (): EncodeOptions => ({
      priority,
      dueAt: runway.dueAt(),
      signal: stop.signal,
    });
    try {
      let isSilent = true;
      let next = pull(chunks);
      for (;;) {
        const { done, value } = await next;
        if (done) break;
        isSilent = false;
        // Asks for its permit before the next chunk does, so that the first bytes do not wait for it.
        const encoding = encoded.push(value.samples, options());
        runway.made((1000 * value.samples.length) / voice.sampleRate);
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

/** Asks for the next chunk now; should that fail, the fault is thrown where the result is awaited. */
function pull(chunks: AsyncGenerator<SpeechChunk>): Promise<IteratorResult<SpeechChunk>> {
  const next = chunks.next();
  next.catch(() => undefined);
  return next;
}

function silenceAt(sampleRate: number): Float32Array {
  return new Float32Array((sampleRate * SILENCE_MS) / 1000);
}
