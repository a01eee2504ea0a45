import { LANGUAGES } from '../../media/languages.js';
import type { TextToSpeech } from '../../media/tts/text-to-speech.js';
import type { VoiceSettings } from '../contract/agent-config.js';
import { wordsOf } from '../turn/backchannels.js';

/** A detected language counts from this many words. */
const MIN_DETECTED_WORDS = 2;

/** A voice for a language; undefined where nobody speaks it. */
export type FindVoice = (language: string) => TextToSpeech | undefined;

export interface CallLanguageOptions {
  readonly settings: VoiceSettings;
  readonly voice: TextToSpeech;
  /** For `auto`; without it the call keeps its voice. */
  readonly findVoice?: FindVoice | undefined;
}

/**
 * The language that is spoken in a call now, and by which voice: the agent's own, or for `auto` the
 * one that was heard last.
 */
export class CallLanguage {
  readonly #voiceFor: FindVoice | undefined;
  #language: string;
  #voice: TextToSpeech;

  constructor({ settings, voice, findVoice }: CallLanguageOptions) {
    this.#voiceFor = settings.language === 'auto' ? findVoice : undefined;
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

  /** Those that it may change to; none where the agent's settings name one. */
  get choices(): readonly string[] {
    return LANGUAGES.filter((language) => this.#voiceFor?.(language));
  }

  /** Changes to the language that speech recognition detected in `text`. @returns whether it changed. */
  detect(language: string, text: string): boolean {
    return wordsOf(text, language).length >= MIN_DETECTED_WORDS && this.change(language);
  }

  /** @returns whether another language is spoken from now on. */
  change(language: string): boolean {
    const voice = language === this.#language ? undefined : this.#voiceFor?.(language);
    if (!voice) return false;
    this.#language = language;
    this.#voice = voice;
    return true;
  }
}
