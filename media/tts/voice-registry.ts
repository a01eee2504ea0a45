import type { TextToSpeech } from './text-to-speech.js';

/** The available voices. The first one for a language is its default. */
export class VoiceRegistry {
  readonly #voices: readonly TextToSpeech[];

  constructor(voices: readonly TextToSpeech[]) {
    this.#voices = voices;
  }

  find(id: string): TextToSpeech | undefined {
    return this.#voices.find((voice) => voice.id === id);
  }

  /** The first other voice that speaks the language. @param language ISO 639-1. */
  anotherFor(language: string, own: TextToSpeech): TextToSpeech | undefined {
    return this.#voices.find((voice) => voice !== own && voice.languages.includes(language));
  }

  /** @param language ISO 639-1. */
  defaultFor(language: string): TextToSpeech | undefined {
    return this.#voices.find((voice) => voice.languages.includes(language));
  }
}
