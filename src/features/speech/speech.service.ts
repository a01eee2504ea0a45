import { AUDIO_FORMATS } from '../../../media/codec/audio-formats.js';
import type { Language } from '../../../media/languages.js';
import { type Dictionary, placedIn } from '../../../media/text/dictionary/dictionary.js';
import type { SpeechFormat, SpeechJob } from '../../../media/tts/synthesiser.js';
import type { SynthesisRequest, TextToSpeech } from '../../../media/tts/text-to-speech.js';
import type { VoiceRegistry } from '../../../media/tts/voice-registry.js';
import { ApiError } from '../../platform/http/api-error.js';
import { codePoints } from '../../platform/http/validation/coerce.js';
import { fetchCommand } from '../../platform/process/models-command.js';
import type { ModelCatalogue } from '../model-catalogue/model-catalogue.js';
import { throwNotFound } from '../ownership/throw-not-found.js';
import type { BuiltinVoices } from '../voices/voice-catalogue.js';
import { type AudioRequest, SPEECH_DEFAULTS, type SpeechRequest } from './speech.schema.js';

/** Constant, so that equal requests give equal samples. */
const SEED = 1;

/** Finds dictionaries; a version of null is the current one. */
export interface SpeechDictionaries {
  /** @throws ApiError DICTIONARY_NOT_FOUND, DICTIONARY_VERSION_NOT_FOUND */
  find(accountId: string, id: string, version: number | null): Promise<Dictionary>;
}

/** The voices that accounts made. */
export interface SpeechVoices {
  /** A voice that the account may use, with the reason if it is FAILED. */
  find(
    accountId: string,
    id: string,
  ): Promise<{ readonly failureReason: string | null } | undefined>;
}

export interface SpeechServiceParts {
  readonly dictionaries: SpeechDictionaries;
  readonly ownVoices: SpeechVoices;
  /** The loaded voices. */
  readonly voices: VoiceRegistry;
  /** All built-in voices, installed or not. */
  readonly builtinVoices: BuiltinVoices;
  readonly models: ModelCatalogue;
  /** Longest text, in code points. */
  readonly textLimit: number;
}

/** The voice and audio settings of a request. */
export interface SpeechVoiceSettings extends SpeechFormat {
  readonly language: Language;
  /** A text or sentence with the dictionary applied. @throws ApiError TEXT_TOO_LONG */
  utterance(text: string): SynthesisRequest;
}

/** Turns requests into synthesis jobs. Checks everything before the first byte. */
export class SpeechService {
  readonly #parts: SpeechServiceParts;

  constructor(parts: SpeechServiceParts) {
    this.#parts = parts;
  }

  /** @throws ApiError for errors beyond the schema */
  async resolve(accountId: string, request: SpeechRequest): Promise<SpeechJob> {
    this.#checkLength(request.text);
    const settings = await this.resolveVoiceSettings(accountId, request);
    return { ...settings, request: settings.utterance(request.text) };
  }

  /** The same without the text, which may follow. @throws ApiError */
  async resolveVoiceSettings(
    accountId: string,
    request: AudioRequest,
  ): Promise<SpeechVoiceSettings> {
    const language = request.language ?? SPEECH_DEFAULTS.language;
    if (request.model != null) this.#checkModel(request.model, language);
    const voice = await this.#voiceFor(accountId, request.voice_id ?? undefined, language);
    const formatName = request.audio_format ?? SPEECH_DEFAULTS.audio_format;
    const style = {
      language,
      temperature: request.temperature ?? SPEECH_DEFAULTS.temperature,
      topP: request.top_p ?? SPEECH_DEFAULTS.top_p,
      seed: SEED,
      speed: 1,
    };
    const { dictionary_id: id, dictionary_version: version } = request;
    const dictionary =
      id == null ? undefined : await this.#parts.dictionaries.find(accountId, id, version ?? null);
    return {
      voice,
      format: AUDIO_FORMATS.get(formatName)!,
      language,
      utterance: (text) => ({ ...style, ...applyDictionary(text, dictionary) }),
    };
  }

  #checkLength(text: string): void {
    const { textLimit } = this.#parts;
    const length = codePoints(text);
    if (length <= textLimit) return;
    throw new ApiError(
      'TEXT_TOO_LONG',
      `The text has ${length} characters; the limit is ${textLimit}`,
    );
  }

  #checkModel(id: string, language: Language): void {
    const { models } = this.#parts;
    if (language === 'en' || models.isMultilingual(id)) return;
    throw new ApiError(
      'MODEL_LANGUAGE_MISMATCH',
      `The model ${id} speaks English only; ${models.ttsModelFor(language)} speaks ${language}`,
    );
  }

  async #voiceFor(
    accountId: string,
    id: string | undefined,
    language: Language,
  ): Promise<TextToSpeech> {
    const { voices } = this.#parts;
    const named = id === undefined ? undefined : await this.#findVoice(accountId, id);
    if (named && !named.languages.includes(language)) {
      const known = named.languages.join(', ');
      throw new ApiError(
        'VOICE_LANGUAGE_MISMATCH',
        `The voice ${named.id} does not speak ${language}, only ${known}`,
      );
    }
    const voice = named ?? voices.defaultFor(language);
    if (voice) return voice;
    throw new ApiError('LANGUAGE_NOT_AVAILABLE', `No installed voice speaks ${language}`, {
      detail: `${fetchCommand(`add ${language}`)} installs one. Then restart the gateway`,
    });
  }

  async #findVoice(accountId: string, id: string): Promise<TextToSpeech> {
    const { voices, builtinVoices, ownVoices } = this.#parts;
    const voice = voices.find(id);
    if (voice) return voice;
    if (builtinVoices.list().some((known) => known.id === id)) {
      throw new ApiError('VOICE_NOT_AVAILABLE', `The voice ${id} is not installed`, {
        detail: `${fetchCommand(`fetch ${id}`)} installs it. Then restart the gateway`,
      });
    }
    const own = await ownVoices.find(accountId, id);
    if (own) {
      throw new ApiError('VOICE_NOT_AVAILABLE', 'The voice cannot be used: its cloning failed', {
        ...(own.failureReason !== null && { detail: own.failureReason }),
      });
    }
    throwNotFound('voice');
  }
}

/** Applies the replacements of a dictionary. */
function applyDictionary(text: string, dictionary: Dictionary | undefined) {
  if (!dictionary) return { text };
  const replaced = dictionary.apply(text);
  if (!replaced.isWhole) {
    throw new ApiError(
      'TEXT_TOO_LONG',
      'With the replacements of the dictionary, the text is longer than the limit',
    );
  }
  return {
    text: replaced.text.text,
    pronounced: placedIn(replaced.text, replaced.pronounced),
  };
}
