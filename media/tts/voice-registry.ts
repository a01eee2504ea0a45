import type { TextToSpeech } from './text-to-speech.js';

/** The available voices. The first voice of a language is its default. */
export class VoiceRegistry {
  readonly #voices: readonly TextToSpeech[];

  constructor(voices: readonly TextToSpeech[]) {
    this.#voices = voices;
  }

  /** Returns the voice with this id. */
  find(id: string): TextToSpeech | undefined {
    return this.#voices.find((voice) => voice.id === id);
  }

  /** Returns the first voice of the language (ISO 639-1) other than `own`. */
  anotherFor(language: string, own: TextToSpeech): TextToSpeech | undefined {
    return this.#voices.find((voice) => voice !== own && voice.languages.includes(language));
  }

  /** Returns the default voice of the language (ISO 639-1). */
  defaultFor(language: string): TextToSpeech | undefined {
    return this.#voices.find((voice) => voice.languages.includes(language));
  }
}
