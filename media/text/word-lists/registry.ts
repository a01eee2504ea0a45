import { isLanguage, type Language } from '../../languages.js';
import { CATALAN_TEXT } from './ca.js';
import { GERMAN_TEXT } from './de.js';
import { ENGLISH_TEXT } from './en.js';
import { SPANISH_TEXT } from './es.js';
import { FRENCH_TEXT } from './fr.js';
import { ITALIAN_TEXT } from './it.js';
import { DUTCH_TEXT } from './nl.js';
import { POLISH_TEXT } from './pl.js';
import { PORTUGUESE_TEXT } from './pt.js';
import { RUSSIAN_TEXT } from './ru.js';
import { SWEDISH_TEXT } from './sv.js';
import type { TextWords } from './text-words.js';

export const TEXT_WORDS: Readonly<Record<Language, TextWords>> = {
  en: ENGLISH_TEXT,
  ca: CATALAN_TEXT,
  sv: SWEDISH_TEXT,
  es: SPANISH_TEXT,
  fr: FRENCH_TEXT,
  de: GERMAN_TEXT,
  it: ITALIAN_TEXT,
  pt: PORTUGUESE_TEXT,
  pl: POLISH_TEXT,
  ru: RUSSIAN_TEXT,
  nl: DUTCH_TEXT,
};

/** Returns the words of a language; undefined if it is not supported. @param language - ISO 639-1 */
export function textWordsOf(language: string): TextWords | undefined {
  return isLanguage(language) ? TEXT_WORDS[language] : undefined;
}
