import { type OpenAI, toFile } from 'openai';
import { z } from 'zod';
import { CALLER_SAMPLE_RATE, int16Of } from '../../media/audio/pcm.js';
import { WAV_HEADER_LENGTH, wavHeader } from '../../media/codec/wav.js';
import { abortError, MediaError } from '../../media/errors.js';
import { LANGUAGES } from '../../media/languages.js';
import type {
  SpeechToText,
  TranscribeOptions,
  Transcription,
} from '../../media/stt/speech-to-text.js';
import { createOpenAiClient, type OpenAiServer, serverFailed } from './openai-client.js';

/** 30 s: the window of Whisper models. */
const MAX_SAMPLES = 30 * CALLER_SAMPLE_RATE;
/** Time limit of one request in milliseconds. */
const TIMEOUT_MS = 4_000;
/** Interim transcripts are requests, which often cost money. */
const INTERIM_EVERY_MS = 1_000;
const MAX_TEXT = 10_000;

const Answer = z.object({ text: z.string(), language: z.string().optional() });

export interface OpenAiTranscriptionOptions extends OpenAiServer {
  readonly model: string;
  /** ISO 639-1. */
  readonly languages: readonly string[];
}

/** Speech recognition by any OpenAI-compatible transcription endpoint. */
export class OpenAiTranscription implements SpeechToText {
  readonly id: string;
  readonly languages: readonly string[];
  readonly interimEveryMs = INTERIM_EVERY_MS;
  readonly #client: OpenAI;
  readonly #model: string;

  constructor({ model, languages, ...server }: OpenAiTranscriptionOptions) {
    this.id = model;
    this.languages = languages;
    this.#model = model;
    this.#client = createOpenAiClient(server, { timeout: TIMEOUT_MS, maxRetries: 1, isLive: true });
  }

  /** @throws CallError RECOGNITION_FAILED if the endpoint fails; MediaError ABORTED */
  async transcribe(samples: Float32Array, options: TranscribeOptions): Promise<Transcription> {
    const { signal, language } = options;
    const providerId = this.id;
    if (samples.length > MAX_SAMPLES) {
      throw new MediaError('INVALID_INPUT', 'The recogniser takes at most 30 s at a time');
    }
    if (signal?.aborted) throw abortError();
    if (samples.length === 0) return { text: '', providerId };
    try {
      const answer = await this.#client.audio.transcriptions.create(
        {
          file: await toFile(wavOf(samples), 'speech.wav', { type: 'audio/wav' }),
          model: this.#model,
          // Only `verbose_json` contains the language.
          response_format: language === undefined ? 'verbose_json' : 'json',
          ...(language !== undefined && { language }),
        },
        signal && { signal },
      );
      const heard = Answer.parse(answer);
      const detected = language === undefined ? languageCode(heard.language) : undefined;
      const text = heard.text.trim().slice(0, MAX_TEXT);
      return { text, ...(detected && { language: detected }), providerId };
    } catch (cause) {
      if (signal?.aborted) throw abortError();
      throw serverFailed('RECOGNITION_FAILED', 'The recogniser', cause);
    }
  }
}

const NAMES = new Intl.DisplayNames(['en'], { type: 'language' });
const CODES = new Map(LANGUAGES.map((code) => [NAMES.of(code)?.toLowerCase() ?? code, code]));

/** Servers return a code (`de`) or an English name (`german`). */
function languageCode(language: string | undefined): string | undefined {
  const name = language?.toLowerCase();
  if (name === undefined) return undefined;
  return CODES.get(name) ?? (/^[a-z]{2}(-|$)/.test(name) ? name.slice(0, 2) : undefined);
}

/** s16le mono. */
function wavOf(samples: Float32Array): Buffer {
  const pcm = int16Of(samples);
  const header = wavHeader(CALLER_SAMPLE_RATE, WAV_HEADER_LENGTH + pcm.byteLength);
  return Buffer.concat([header, Buffer.from(pcm.buffer)]);
}
