import { WebSocket } from 'ws';
import { z } from 'zod';
import { CALLER_SAMPLE_RATE, int16Of } from '../../media/audio/pcm.js';
import type {
  StreamingSpeechToText,
  TranscriptionStream,
  TranscriptionStreamOptions,
} from '../../media/stt/speech-to-text.js';
import type { Clock, Timer } from '../contract/clock.js';
import { CallError } from '../contract/errors.js';

/** Deepgram closes a connection without input after 10 s. Source: Deepgram's documentation, audio keep alive. */
const KEEP_ALIVE_MS = 4_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Wait before the first reconnect; it doubles up to the maximum. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 8_000;
const MAX_MESSAGE = 1_048_576;
/** A connection with more unsent audio, in bytes, counts as broken. */
const MAX_BACKLOG = 1_048_576;
const MAX_TEXT = 10_000;

/** The only message type that is used. Source: Deepgram's documentation, live audio. */
const Results = z.object({
  type: z.literal('Results'),
  start: z.number().nonnegative(),
  duration: z.number().nonnegative(),
  is_final: z.boolean(),
  from_finalize: z.boolean().optional(),
  channel: z.object({
    alternatives: z
      .array(
        z.object({
          transcript: z.string(),
          languages: z.array(z.string()).optional(),
        }),
      )
      .min(1),
  }),
});

export interface DeepgramOptions {
  /** `wss://api.deepgram.com`, or a self-hosted server. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly clock: Clock;
}

/** Deepgram's streaming speech recognition, with one socket for each call. It reconnects automatically. */
export class DeepgramSpeechToText implements StreamingSpeechToText {
  readonly id: string;
  readonly #options: DeepgramOptions;

  constructor(options: DeepgramOptions) {
    this.id = `deepgram-${options.model}`;
    this.#options = options;
  }

  open(stream: TranscriptionStreamOptions): TranscriptionStream {
    return new DeepgramStream(this.#options, stream);
  }
}

class DeepgramStream implements TranscriptionStream {
  readonly #options: DeepgramOptions;
  readonly #stream: TranscriptionStreamOptions;
  #socket: WebSocket | undefined;
  #position = 0;
  #keepAlive: Timer | undefined;
  #retry: Timer | undefined;
  #retryMs = FIRST_RETRY_MS;
  #isClosed = false;

  constructor(options: DeepgramOptions, stream: TranscriptionStreamOptions) {
    this.#options = options;
    this.#stream = stream;
    this.#connect();
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  get position(): number {
    return this.#position;
  }

  push(samples: Float32Array): void {
    const socket = this.#socket;
    if (!socket || !this.isOpen || samples.length === 0) return;
    if (socket.bufferedAmount > MAX_BACKLOG) {
      socket.terminate();
      return;
    }
    socket.send(Buffer.from(int16Of(samples).buffer));
    this.#position += samples.length;
    this.#scheduleKeepAlive();
  }

  finalise(): void {
    this.#sendControl('Finalize');
  }

  close(): void {
    this.#isClosed = true;
    this.#keepAlive?.cancel();
    this.#retry?.cancel();
    this.#sendControl('CloseStream');
    this.#socket?.close();
  }

  #connect(): void {
    const { baseUrl, apiKey, model } = this.#options;
    const url = new URL('/v1/listen', baseUrl);
    const query = {
      model,
      language: this.#stream.language ?? 'multi',
      encoding: 'linear16',
      sample_rate: String(CALLER_SAMPLE_RATE),
      channels: '1',
      interim_results: 'true',
      smart_format: 'true',
      // The turn reducer decides when a turn ends.
      endpointing: 'false',
    };
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const socket = new WebSocket(url, {
      headers: { authorization: `Token ${apiKey}` },
      handshakeTimeout: CONNECT_TIMEOUT_MS,
      maxPayload: MAX_MESSAGE,
      followRedirects: false,
    });
    this.#socket = socket;
    this.#position = 0;
    socket.on('open', () => {
      this.#retryMs = FIRST_RETRY_MS;
      if (this.#isClosed) socket.close();
      else this.#scheduleKeepAlive();
    });
    socket.on('message', (data, isBinary) => {
      if (!isBinary) this.#onMessage(String(data));
    });
    let cause: unknown;
    socket.on('error', (error) => {
      cause = error;
    });
    socket.on('close', (code) => this.#onClose(code, cause));
  }

  #onClose(code: number, cause: unknown): void {
    this.#keepAlive?.cancel();
    if (this.#isClosed) return;
    const waitMs = this.#retryMs;
    this.#retryMs = Math.min(MAX_RETRY_MS, waitMs * 2);
    this.#retry = this.#options.clock.after(waitMs, () => this.#connect());
    const message = `The connection to Deepgram broke (${code})`;
    this.#stream.onFault(new CallError('RECOGNITION_FAILED', message, { cause }));
  }

  #onMessage(text: string): void {
    const parsed = Results.safeParse(jsonIn(text));
    if (!parsed.success) return;
    const { start, duration, is_final, from_finalize = false, channel } = parsed.data;
    const { transcript, languages } = channel.alternatives[0]!;
    this.#stream.onResult({
      text: transcript.trim().slice(0, MAX_TEXT),
      isFinal: is_final,
      answersFinalise: from_finalize,
      toSample: Math.round((start + duration) * CALLER_SAMPLE_RATE),
      language: languages?.[0]?.slice(0, 2),
    });
  }

  #sendControl(type: 'KeepAlive' | 'Finalize' | 'CloseStream'): void {
    if (this.isOpen) this.#socket?.send(JSON.stringify({ type }));
  }

  /** Schedules a keep-alive message after the newest audio. */
  #scheduleKeepAlive(): void {
    this.#keepAlive?.cancel();
    this.#keepAlive = this.#options.clock.after(KEEP_ALIVE_MS, () => {
      this.#sendControl('KeepAlive');
      this.#scheduleKeepAlive();
    });
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
