import { readModelFile } from '../../models/model-file.js';
import type { CpuScheduler } from '../../runtime/cpu-scheduler.js';
import { MAX_CHUNK_LENGTH, splitLong } from '../../text/sentences.js';
import type { Phonemizer } from '../phonemizer.js';
import { StreamingVoice } from '../streaming/streaming-voice.js';
import type { SpeakOptions, SynthesisRequest } from '../text-to-speech.js';
import { type PiperPhonemeIds, phonemeIdsOf } from './phoneme-ids.js';
import { type PiperConfig, parsePiperConfig } from './voice-config.js';

/** Voice settings of an utterance. */
export interface PiperVoiceSettings {
  /** Factor of the noise scales in the voice's configuration, 0–2; 1 leaves them unchanged. */
  readonly temperature: number;
  /** An integer. Equal seeds give equal audio. */
  readonly seed: number;
  /** Factor of the voice's normal speed, 0.5–2. */
  readonly speed: number;
}

/** Files that a voice's worker reads. */
export interface PiperFiles {
  readonly modelFile: string;
  readonly configFile: string;
  /** Folder of prepared models; undefined prepares in memory. */
  readonly preparedFolder: string | undefined;
}

/** Input of a voice's worker. */
export interface PiperUtterance extends PiperVoiceSettings {
  /** The parts of the text, each encoded as a whole. */
  readonly parts: readonly PiperPhonemeIds[];
}

/** Files, phonemizer and scheduler of a `PiperVoice`. */
export interface PiperVoiceOptions extends PiperFiles {
  readonly id: string;
  /** ISO 639-1. */
  readonly language: string;
  readonly phonemizer: Phonemizer;
  readonly scheduler: CpuScheduler;
}

/**
 * A neural voice of the Piper family. A phonemizer computes the phonemes; the model runs on the worker thread.
 * `topP` has no effect, because the noise is drawn inside the graph.
 */
export class PiperVoice extends StreamingVoice<PiperUtterance> {
  override readonly id: string;
  override readonly languages: readonly string[];
  override readonly sampleRate: number;
  readonly #config: PiperConfig;
  readonly #phonemizer: Phonemizer;

  private constructor(config: PiperConfig, options: PiperVoiceOptions) {
    const { id, language, phonemizer, scheduler, modelFile, configFile, preparedFolder } = options;
    const files: PiperFiles = { modelFile, configFile, preparedFolder };
    const script = new URL('./piper.worker.js', import.meta.url);
    super({ script, workerData: files, scheduler });
    this.id = id;
    this.languages = [language];
    this.sampleRate = config.sampleRate;
    this.#config = config;
    this.#phonemizer = phonemizer;
  }

  /**
   * Reads the configuration. The first job loads the model.
   * @throws MediaError MODEL_MISSING, MODEL_CORRUPT
   */
  static async open(options: PiperVoiceOptions): Promise<PiperVoice> {
    return new PiperVoice(parsePiperConfig(await readModelFile(options.configFile)), options);
  }

  protected override async utteranceOf(
    request: SynthesisRequest,
    options: SpeakOptions,
  ): Promise<PiperUtterance | undefined> {
    const parts = await this.#partsOf(request, options);
    if (parts.length === 0) return undefined;
    const { temperature, seed, speed } = request;
    return { parts, temperature, seed, speed };
  }

  /** Returns the phoneme ids of each part of the text that can be spoken. */
  async #partsOf(
    { text, language, pronounced = [] }: SynthesisRequest,
    { signal, firstPriority: priority, dueAt }: SpeakOptions,
  ): Promise<readonly PiperPhonemeIds[]> {
    const parts: PiperPhonemeIds[] = [];
    const as = { voice: this.#config.phonemizerVoice, language };
    let start = 0;
    for (const piece of splitLong(text, MAX_CHUNK_LENGTH)) {
      const urgency = { priority, dueAt: dueAt?.() };
      const clauses = await this.#phonemizer.phonemize(piece, as, { signal, ...urgency });
      const own = pronounced.map((part) => shifted(part, -start));
      const { ids, words } = phonemeIdsOf(clauses, this.#config, own);
      const inText = words.map((word) => shifted(word, start));
      if (clauses.length > 0) parts.push({ ids, words: inText });
      start += piece.length;
    }
    return parts;
  }
}

/** Moves a range of text by `by` UTF-16 units. */
function shifted<Range extends { readonly textStart: number; readonly textEnd: number }>(
  range: Range,
  by: number,
): Range {
  return { ...range, textStart: range.textStart + by, textEnd: range.textEnd + by };
}
