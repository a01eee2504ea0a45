import { LANGUAGES } from '../../media/languages.js';
import { wordsOf } from '../../media/text/words.js';
import type { TextToSpeech } from '../../media/tts/text-to-speech.js';
import type { VoiceSettings } from '../contract/agent-config.js';
import type { FindVoice } from '../contract/find-voice.js';

/** A detected language counts from this many words. */
const MIN_DETECTED_WORDS = 2;

export interface CallLanguageOptions {
  readonly settings: VoiceSettings;
  readonly voice: TextToSpeech;
  /** For the setting `auto`. Undefined: the call keeps its voice. */
  readonly findVoice?: FindVoice | undefined;
}

/** The current language of a call and its voice: the agent's setting, or for `auto` the newest detected language. */
export class CallLanguage {
  readonly #findVoice: FindVoice | undefined;
  #language: string;
  #voice: TextToSpeech;

  constructor({ settings, voice, findVoice }: CallLanguageOptions) {
    this.#findVoice = settings.language === 'auto' ? findVoice : undefined;
    this.#language = settings.language === 'auto' ? 'en' : settings.language;
    this.#voice = voice;
  }

  /** ISO 639-1. */
  get language(): string {
    return this.#language;
  }

  get voice(): TextToSpeech {
    return this.#voice;
  }

  /** Languages that the call may change to; none if the agent's settings name one. */
  get choices(): readonly string[] {
    return LANGUAGES.filter((language) => this.#findVoice?.(language));
  }

  /** Changes to the language that speech recognition detected in `text`. @returns whether it changed. */
  changeToDetected(language: string, text: string): boolean {
    return wordsOf(text, language).length >= MIN_DETECTED_WORDS && this.change(language);
  }

  /** @returns whether the language changed. */
  change(language: string): boolean {
    const voice = language === this.#language ? undefined : this.#findVoice?.(language);
    if (!voice) return false;
    this.#language = language;
    this.#voice = voice;
    return true;
  }
}
