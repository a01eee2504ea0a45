import { LANGUAGES } from '../../media/languages.js';
import type { VoiceModel } from '../../media/tts/voice-model.js';
import type { VoiceSettings } from './agent-config.js';

/** A voice for a language; undefined where nobody speaks it. */
export type VoiceFor = (language: string) => VoiceModel | undefined;

export interface CallLanguageOptions {
  readonly settings: VoiceSettings;
  readonly voice: VoiceModel;
  /** For `auto`; without it the call keeps its voice. */
  readonly voiceFor?: VoiceFor | undefined;
}

/**
 * The language that is spoken in a call now, and by which voice: the agent's own, or for `auto` the
 * one that was heard last.
 */
export class CallLanguage {
  readonly #voiceFor: VoiceFor | undefined;
  #language: string;
  #voice: VoiceModel;

  constructor({ settings, voice, voiceFor }: CallLanguageOptions) {
    this.#voiceFor = settings.language === 'auto' ? voiceFor : undefined;
    this.#language = settings.language === 'auto' ? 'en' : settings.language;
    this.#voice = voice;
  }

  /** ISO 639-1. */
  get language(): string {
    return this.#language;
  }

  get voice(): VoiceModel {
    return this.#voice;
  }

  /** Those that it may change to; none where the agent's settings name one. */
  get choices(): readonly string[] {
    return LANGUAGES.filter((language) => this.#voiceFor?.(language));
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
