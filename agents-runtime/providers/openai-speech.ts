import type OpenAI from 'openai';
import { abortError, MediaError } from '../../media/errors.js';
import type {
  SpeakOptions,
  SpeechChunk,
  SynthesisRequest,
  TextToSpeech,
  WordTime,
} from '../../media/tts/text-to-speech.js';
import { createOpenAiClient, type OpenAiServer, serverFailed } from './openai-client.js';

/** Hz of the format `pcm`. Source: OpenAI's documentation, create speech. */
const RATE = 24_000;
/** Time to the first audio in milliseconds. */
const TIMEOUT_MS = 4_000;
/** Samples in a chunk: 100 ms. */
const CHUNK = 2_400;
/** Longest speech of one sentence. An endless response is cut. */
const MAX_SAMPLES = 120 * RATE;
/** Initial pace in samples per character: 15 characters a second. */
const DEFAULT_PACE = RATE / 15;
/** Weight of a new sentence in the average pace. */
const PACE_SMOOTHING = 0.3;

export interface OpenAiSpeechOptions extends OpenAiServer {
  /** Id of the voice in agent settings. */
  readonly id: string;
  readonly model: string;
  /** The voice's name at the endpoint. */
  readonly voice: string;
  /** ISO 639-1. */
  readonly languages: readonly string[];
}

/**
 * A voice behind any OpenAI-compatible speech endpoint, streamed. Such endpoints return no word timestamps:
 * they are estimated from the pace of the sentences before.
 */
export class OpenAiSpeech implements TextToSpeech {
  readonly id: string;
  readonly languages: readonly string[];
  readonly sampleRate = RATE;
  readonly #client: OpenAI;
  readonly #model: string;
  readonly #voice: string;
  #pace = DEFAULT_PACE;

  constructor({ id, model, voice, languages, ...server }: OpenAiSpeechOptions) {
    this.id = id;
    this.languages = languages;
    this.#model = model;
    this.#voice = voice;
    this.#client = createOpenAiClient(server, { timeout: TIMEOUT_MS, maxRetries: 0 });
  }

  /** @throws CallError SPEECH_FAILED if the endpoint fails; MediaError ABORTED */
  async *speak(
    { text, speed }: SynthesisRequest,
    { signal }: SpeakOptions,
  ): AsyncGenerator<SpeechChunk> {
    if (signal.aborted) throw abortError();
    let samples = 0;
    try {
      const answer = await this.#client.audio.speech.create(
        { model: this.#model, voice: this.#voice, input: text, response_format: 'pcm', speed },
        { signal },
      );
      if (!answer.body || /json|html/.test(answer.headers.get('content-type') ?? '')) {
        throw new MediaError('INVALID_INPUT', 'The answer is no sound');
      }
      let words = estimatedWordTimes(text, this.#pace / speed);
      for await (const chunk of chunksOf(answer.body)) {
        samples += chunk.length;
        yield { samples: chunk, words };
        words = [];
        if (samples >= MAX_SAMPLES) break;
      }
      if (samples === 0 && /\p{L}|\p{N}/u.test(text)) {
        throw new MediaError('INVALID_INPUT', 'The answer is empty');
      }
    } catch (cause) {
      if (signal.aborted) throw abortError();
      throw serverFailed('SPEECH_FAILED', 'The voice', cause);
    }
    this.#learn(text, samples * speed);
  }

  async warm(): Promise<void> {
    // The server loads its own models.
  }

  async close(): Promise<void> {
    // Holds no resources.
  }

  #learn(text: string, samples: number): void {
    if (text.length < 10 || samples === 0) return;
    this.#pace += PACE_SMOOTHING * (samples / text.length - this.#pace);
  }
}

/** Word timestamps if every character takes equally long. */
function estimatedWordTimes(text: string, samplesPerCharacter: number): WordTime[] {
  return [...text.matchAll(/\S+/g)].map(({ index, 0: word }) => ({
    textStart: index,
    textEnd: index + word.length,
    startSample: Math.round(index * samplesPerCharacter),
    endSample: Math.round((index + word.length) * samplesPerCharacter),
  }));
}

/** Converts s16le bytes, cut at any place, into chunks of 100 ms. */
async function* chunksOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Float32Array> {
  let rest = Buffer.alloc(0);
  for await (const part of body) {
    rest = Buffer.concat([rest, part]);
    for (; rest.length >= 2 * CHUNK; rest = rest.subarray(2 * CHUNK)) yield samplesIn(rest, CHUNK);
  }
  if (rest.length >= 2) yield samplesIn(rest, rest.length >> 1);
}

function samplesIn(bytes: Buffer, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => bytes.readInt16LE(2 * i) / 32_768);
}
