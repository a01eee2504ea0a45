/**
 * Supported languages, ISO 639-1. English is the default. After you add one, the compiler reports each
 * registry of words and phrases that lacks an entry. Two places need an entry without a compiler error:
 * `src/features/knowledge/search/full-text-language.ts` (full-text search) and `media/models/piper-voices.ts` (voices).
 */
export const LANGUAGES = [
  'en',
  'ca',
  'sv',
  'es',
  'fr',
  'de',
  'it',
  'pt',
  'pl',
  'ru',
  'nl',
] as const;

export type Language = (typeof LANGUAGES)[number];

/** Whether the text is the code of a supported language. */
export function isLanguage(text: string): text is Language {
  return (LANGUAGES as readonly string[]).includes(text);
}

/** Variety of English that a voice speaks. */
export type Dialect = 'us' | 'gb';
