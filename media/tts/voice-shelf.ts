import type { VoiceModel } from './voice-model.js';

/** The voices that can speak now. The first that speaks a language is its default voice. */
export class VoiceShelf {
  readonly #voices: readonly VoiceModel[];

  constructor(voices: readonly VoiceModel[]) {
    this.#voices = voices;
  }

  find(id: string): VoiceModel | undefined {
    return this.#voices.find((voice) => voice.id === id);
  }

  /** The first other voice that speaks the language. @param language ISO 639-1. */
  anotherFor(language: string, own: VoiceModel): VoiceModel | undefined {
    return this.#voices.find((voice) => voice !== own && voice.languages.includes(language));
  }

  /** @param language ISO 639-1. */
  defaultFor(language: string): VoiceModel | undefined {
    return this.#voices.find((voice) => voice.languages.includes(language));
  }
}
