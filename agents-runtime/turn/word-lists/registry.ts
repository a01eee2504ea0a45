import { isLanguage, type Language } from '../../../media/languages.js';
import { CATALAN_TURN } from './ca.js';
import { GERMAN_TURN } from './de.js';
import { ENGLISH_TURN } from './en.js';
import { SPANISH_TURN } from './es.js';
import { FRENCH_TURN } from './fr.js';
import { ITALIAN_TURN } from './it.js';
import { DUTCH_TURN } from './nl.js';
import { POLISH_TURN } from './pl.js';
import { PORTUGUESE_TURN } from './pt.js';
import { RUSSIAN_TURN } from './ru.js';
import { SWEDISH_TURN } from './sv.js';
import type { TurnWords } from './turn-words.js';

export const TURN_WORDS: Readonly<Record<Language, TurnWords>> = {
  en: ENGLISH_TURN,
  ca: CATALAN_TURN,
  sv: SWEDISH_TURN,
  es: SPANISH_TURN,
  fr: FRENCH_TURN,
  de: GERMAN_TURN,
  it: ITALIAN_TURN,
  pt: PORTUGUESE_TURN,
  pl: POLISH_TURN,
  ru: RUSSIAN_TURN,
  nl: DUTCH_TURN,
};

/** @param language - ISO 639-1 */
export function turnWordsOf(language: string): TurnWords | undefined {
  return isLanguage(language) ? TURN_WORDS[language] : undefined;
}
