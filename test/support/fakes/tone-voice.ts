import { abortError, MediaError } from '../../../media/errors.js';
import type {
  SpeakOptions,
  SpeechChunk,
  SynthesisRequest,
  TextToSpeech,
  WordTime,
} from '../../../media/tts/text-to-speech.js';

/** Samples per character of a word; `FIRST_CHUNK` is the length of the first chunk in samples. */
const SAMPLES_PER_CHARACTER = 1500;
const FIRST_CHUNK = 4800;

/**
 * A voice without a model: each word is a tone whose pitch depends on its letters, so the same text
 * always gives the same samples. It counts utterances and chunks, and a text with `FAULT` fails
 * after one chunk.
 */
export class ToneVoice implements TextToSpeech {
  readonly id: string;
  readonly languages: readonly string[];
  readonly sampleRate: number;
  /** Utterances in progress; `chunks` counts the chunks made so far. */
  active = 0;
  chunks = 0;
  /** Awaited before each chunk; a test may replace it to block the voice. */
  beforeChunk: (chunk: number) => Promise<void> = () => Promise.resolve();

  constructor(options: { id?: string; languages?: readonly string[]; sampleRate?: number } = {}) {
    this.id = options.id ?? 'tone';
    this.languages = options.languages ?? ['en'];
    this.sampleRate = options.sampleRate ?? 24000;
  }

  async *speak(utterance: SynthesisRequest, { signal }: SpeakOptions): AsyncGenerator<SpeechChunk> {
    this.active++;
    try {
      const { samples, words } = this.#render(utterance.text);
      let length = FIRST_CHUNK;
      for (let at = 0, index = 0; at < samples.length; index++) {
        await this.beforeChunk(this.chunks);
        if (signal.aborted) throw abortError();
        if (utterance.text.includes('FAULT') && index === 1) {
          throw new MediaError('WORKER_DIED', 'The worker thread died');
        }
        this.chunks++;
        yield { samples: samples.slice(at, at + length), words: index === 0 ? words : [] };
        at += length;
        length *= 2;
      }
    } finally {
      this.active--;
    }
  }

  async warm(): Promise<void> {
    // There is nothing to load.
  }

  async close(): Promise<void> {
    // There is nothing to close.
  }

  #render(text: string): { samples: Float32Array; words: WordTime[] } {
    const words: WordTime[] = [];
    const parts: number[] = [];
    for (const match of text.matchAll(/[\p{L}\p{N}]+/gu)) {
      const [word] = match;
      const startSample = parts.length;
      const pitch = 200 + ([...word].reduce((sum, c) => sum + c.codePointAt(0)!, 0) % 600);
      for (let i = 0; i < word.length * SAMPLES_PER_CHARACTER; i++) {
        parts.push(0.4 * Math.sin((2 * Math.PI * pitch * i) / this.sampleRate));
      }
      const textEnd = match.index + word.length;
      words.push({ textStart: match.index, textEnd, startSample, endSample: parts.length });
    }
    return { samples: Float32Array.from(parts), words };
  }
}

/** A synthesis request with default settings. */
export function plainText(text: string, language = 'en'): SynthesisRequest {
  return { text, language, temperature: 1, topP: 0.8, seed: 0, speed: 1 };
}
