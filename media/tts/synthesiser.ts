import type { AudioFormat } from '../codec/codecs.js';
import type { Priority } from '../inference/cpu-permits.js';
import type { EncodeOptions, EncoderThread } from '../inference/encoder-thread.js';
import { linkedAbort } from '../stream/linked-abort.js';
import { speakText } from './speak-text.js';
import type { SpeechChunk, Utterance, VoiceModel } from './voice-model.js';

/** What a text without a single sound in it (an emoji, say) becomes: a short silence, a valid file. */
const SILENCE_MS = 100;
/** Seconds of speech that are encoded in one job when the whole is there already. */
const BLOCK_S = 1;

export interface SpeechJob {
  readonly voice: VoiceModel;
  readonly format: AudioFormat;
  readonly text: Utterance;
}

/** A whole file in pieces, and its length in bytes. */
export interface SpeechFile {
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
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
  async *stream(
    { voice, format, text }: SpeechJob,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const stop = linkedAbort(signal);
    const chunks = speakText(voice, text, { signal: stop.signal, firstPriority: 'first-chunk' });
    const encoded = this.#encoders.open({ format: format.name, inputRate: voice.sampleRate });
    let priority: Priority = 'first-chunk';
    const options = (): EncodeOptions => ({ priority, signal: stop.signal });
    try {
      let isSilent = true;
      let next = pull(chunks);
      for (;;) {
        const { done, value } = await next;
        if (done) break;
        isSilent = false;
        // Asks for its permit before the next chunk does, so that the first bytes do not wait for it.
        const encoding = encoded.push(value.samples, options());
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

  /**
   * The whole file, whose header says its length.
   * @throws MediaError ABORTED when the signal fires.
   */
  async whole({ voice, format, text }: SpeechJob, signal: AbortSignal): Promise<SpeechFile> {
    const spoken: Float32Array[] = [];
    let totalSamples = 0;
    for await (const { samples } of speakText(voice, text, {
      signal,
      firstPriority: 'later-chunk',
      ahead: 1,
    })) {
      spoken.push(samples);
      totalSamples += samples.length;
    }
    if (totalSamples === 0) spoken.push(silenceAt(voice.sampleRate));
    const inputRate = voice.sampleRate;
    totalSamples ||= silenceAt(inputRate).length;
    return this.#encodeAll({ format: format.name, inputRate, totalSamples }, spoken, signal);
  }

  async #encodeAll(
    options: Parameters<EncoderThread['open']>[0],
    spoken: readonly Float32Array[],
    signal: AbortSignal,
  ): Promise<SpeechFile> {
    const encoded = this.#encoders.open(options);
    const pieces: Uint8Array[] = [];
    const blockLength = BLOCK_S * options.inputRate;
    try {
      for (const samples of spoken) {
        for (let at = 0; at < samples.length; at += blockLength) {
          const block = samples.subarray(at, at + blockLength);
          pieces.push(await encoded.push(block, { priority: 'later-chunk', signal }));
        }
      }
      pieces.push(await encoded.finish({ priority: 'later-chunk', signal }));
    } finally {
      encoded.cancel();
    }
    return { pieces, length: pieces.reduce((sum, piece) => sum + piece.length, 0) };
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
