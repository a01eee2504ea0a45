import type { Language } from '../../media/languages.js';

const FAMILIES = ['tts-v1', 'tts-multilingual-v1'] as const;
const RELEASES = ['latest', '2026-02-10'] as const;

/** The ids of the speech models: two families, each by its release and as the latest. */
export class TtsModels {
  readonly ids: readonly string[];
  readonly #prefix: string;

  /** @param prefix the service's own name in the ids. */
  constructor(prefix: string) {
    this.#prefix = prefix;
    this.ids = FAMILIES.flatMap((family) =>
      RELEASES.map((release) => `${prefix}-${family}-${release}`),
    );
  }

  /** The model that a language asks for; `auto` may turn out to be any. */
  latestFor(language: Language | 'auto'): string {
    const family = language === 'en' ? 'tts-v1' : 'tts-multilingual-v1';
    return `${this.#prefix}-${family}-latest`;
  }

  /** Whether the model of this id speaks the language: one family knows English only. */
  speaks(id: string, language: Language): boolean {
    return language === 'en' || id.startsWith(`${this.#prefix}-tts-multilingual-`);
  }
}
