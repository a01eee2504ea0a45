import { AUDIO_FORMATS } from '../../media/codec/audio-formats.js';
import type { Language } from '../../media/languages.js';
import type { SpeechJob } from '../../media/tts/synthesiser.js';
import type { VoiceModel } from '../../media/tts/voice-model.js';
import type { VoiceShelf } from '../../media/tts/voice-shelf.js';
import { ApiError } from '../errors.js';
import { codePoints } from '../http/coerce.js';
import { SPEECH_DEFAULTS, type SpeechRequest } from './speech.schema.js';
import type { TtsModels } from './tts-models.js';

/** The same request sounds the same, sample by sample, each time it is made. */
const SEED = 1;

/** Turns requests into jobs: checks here whatever can be checked before the first byte. */
export class SpeechJobs {
  readonly #voices: VoiceShelf;
  readonly #models: TtsModels;
  readonly #textLimit: number;

  /** @param textLimit longest text, in code points. */
  constructor(voices: VoiceShelf, models: TtsModels, textLimit: number) {
    this.#voices = voices;
    this.#models = models;
    this.#textLimit = textLimit;
  }

  /** @throws ApiError for what the schema cannot tell. */
  resolve(request: SpeechRequest): SpeechJob {
    const { text } = request;
    this.#checkLength(text);
    const language = request.language ?? SPEECH_DEFAULTS.language;
    this.#checkModel(request.model ?? this.#models.latestFor(language), language);
    const voice = this.#voiceFor(request.voice_id ?? undefined, language);
    if (request.dictionary_id != null) {
      throw new ApiError(
        'DICTIONARY_NOT_FOUND',
        'No pronunciation dictionary has the given dictionary_id',
      );
    }
    const formatName = request.audio_format ?? SPEECH_DEFAULTS.audio_format;
    return {
      voice,
      format: AUDIO_FORMATS.get(formatName)!,
      text: {
        text,
        language,
        temperature: request.temperature ?? SPEECH_DEFAULTS.temperature,
        topP: request.top_p ?? SPEECH_DEFAULTS.top_p,
        seed: SEED,
        speed: 1,
      },
    };
  }

  #checkLength(text: string): void {
    const length = codePoints(text);
    if (length <= this.#textLimit) return;
    throw new ApiError(
      'TEXT_TOO_LONG',
      `The text has ${length} characters; at most ${this.#textLimit} are spoken at once`,
    );
  }

  #checkModel(id: string, language: Language): void {
    if (this.#models.speaks(id, language)) return;
    throw new ApiError(
      'MODEL_LANGUAGE_MISMATCH',
      `The model ${id} speaks English only; ${this.#models.latestFor(language)} speaks ${language}`,
    );
  }

  #voiceFor(id: string | undefined, language: Language): VoiceModel {
    const named = id === undefined ? undefined : this.#voices.find(id);
    if (id !== undefined && !named) {
      throw new ApiError('VOICE_NOT_FOUND', 'No voice has the given voice_id');
    }
    if (named && !named.languages.includes(language)) {
      const known = named.languages.join(', ');
      throw new ApiError(
        'VOICE_LANGUAGE_MISMATCH',
        `The voice ${named.id} does not speak ${language}, only ${known}`,
      );
    }
    const voice = named ?? this.#voices.defaultFor(language);
    if (voice) return voice;
    throw new ApiError('LANGUAGE_NOT_AVAILABLE', `No installed voice speaks ${language}`, {
      detail: `npm run models -- add ${language} installs one; then start the gateway again`,
    });
  }
}
