import { readModelFile } from '../../models/model-file.js';
import type { CpuScheduler } from '../../runtime/cpu-scheduler.js';
import { ModelThread } from '../../runtime/model-thread.js';
import { MAX_CHUNK_LENGTH, splitLong } from '../../text/sentences.js';
import type { Phonemizer } from '../phonemizer.js';
import { type StreamingJobs, streamSpeech } from '../streaming/streaming-jobs.js';
import {
  requireSpeakable,
  type SpeakOptions,
  type SpeechChunk,
  type SynthesisRequest,
  type TextToSpeech,
} from '../text-to-speech.js';
import { type PiperPhonemeIds, phonemeIdsOf } from './phoneme-ids.js';
import { type PiperConfig, parsePiperConfig } from './voice-config.js';

/** How an utterance is to sound. */
export interface PiperSound {
  /** Scale of the voice's noise; 1 is its own. */
  readonly temperature: number;
  readonly seed: number;
  /** 1 is the voice's own pace; 0.5–2. */
  readonly speed: number;
}

/** Which files the worker of a voice reads. */
export interface PiperFiles {
  readonly modelFile: string;
  readonly configFile: string;
  /** Where the parts of a cut graph are kept; in memory only where it is not given. */
  readonly cutFolder: string | undefined;
}

export interface PiperUtterance extends PiperSound {
  readonly id: number;
  /** The parts of the text, each to be spoken in one go. */
  readonly scripts: readonly PiperPhonemeIds[];
}

export type PiperJobs = StreamingJobs<PiperUtterance>;

export interface PiperVoiceOptions extends PiperFiles {
  readonly id: string;
  /** ISO 639-1. */
  readonly language: string;
  readonly phonemizer: Phonemizer;
  readonly permits: CpuScheduler;
}

/**
 * A neural voice of the Piper family, on a worker thread of its own. Phonemes come from a phonemizer;
 * each piece of sound is a job with a CPU permit, computed when it is asked for. Temperature scales the
 * voice's noise. Top-p changes nothing: its truncation would fall inside the graph.
 */
export class PiperVoice implements TextToSpeech {
  readonly id: string;
  readonly languages: readonly string[];
  readonly sampleRate: number;
  readonly #config: PiperConfig;
  readonly #phonemizer: Phonemizer;
  readonly #thread: ModelThread<PiperJobs>;
  #nextId = 1;

  private constructor(config: PiperConfig, options: PiperVoiceOptions) {
    const { id, language, phonemizer, permits, modelFile, configFile, cutFolder } = options;
    this.id = id;
    this.languages = [language];
    this.sampleRate = config.sampleRate;
    this.#config = config;
    this.#phonemizer = phonemizer;
    const files: PiperFiles = { modelFile, configFile, cutFolder };
    const script = new URL('./piper.worker.js', import.meta.url);
    this.#thread = new ModelThread({ script, workerData: files, permits });
  }

  /** Reads the configuration; the model itself is loaded with the first job. @throws MediaError MODEL_MISSING, MODEL_CORRUPT */
  static async open(options: PiperVoiceOptions): Promise<PiperVoice> {
    return new PiperVoice(parsePiperConfig(await readModelFile(options.configFile)), options);
  }

  /** Jobs that the thread has and has not answered. */
  get pending(): number {
    return this.#thread.pending;
  }

  /** Utterances of which the thread keeps something. */
  open(): Promise<number> {
    return this.#thread.tell('count', null);
  }

  async *speak(utterance: SynthesisRequest, options: SpeakOptions): AsyncGenerator<SpeechChunk> {
    requireSpeakable(utterance, options);
    const scripts = await this.#scriptsOf(utterance, options);
    if (scripts.length === 0) return;
    const { temperature, seed, speed } = utterance;
    const input = { id: this.#nextId++, scripts, temperature, seed, speed };
    yield* streamSpeech(this.#thread, input, options);
  }

  async warm(): Promise<void> {
    await this.#thread.run('warm', null, { priority: 'background' });
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }

  /** One script for each piece of the text that has something to say. */
  async #scriptsOf(
    { text, language, pronounced = [] }: SynthesisRequest,
    { signal, firstPriority: priority, dueAt }: SpeakOptions,
  ): Promise<readonly PiperPhonemeIds[]> {
    const scripts: PiperPhonemeIds[] = [];
    const as = { voice: this.#config.phonemizerVoice, language };
    let start = 0;
    for (const piece of splitLong(text, MAX_CHUNK_LENGTH)) {
      const urgency = { priority, dueAt: dueAt?.() };
      const clauses = await this.#phonemizer.phonemize(piece, as, { signal, ...urgency });
      const shift = start;
      const own = pronounced.map((part) => ({
        ...part,
        textStart: part.textStart - shift,
        textEnd: part.textEnd - shift,
      }));
      const { ids, words } = phonemeIdsOf(clauses, this.#config, own);
      const shifted = words.map((word) => ({
        ...word,
        textStart: word.textStart + shift,
        textEnd: word.textEnd + shift,
      }));
      if (clauses.length > 0) scripts.push({ ids, words: shifted });
      start += piece.length;
    }
    return scripts;
  }
}
