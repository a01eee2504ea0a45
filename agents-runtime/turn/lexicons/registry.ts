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
import type { TurnLexicon } from './turn-lexicon.js';

export const TURN_LEXICONS: Readonly<Record<Language, TurnLexicon>> = {
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
export function turnLexiconOf(language: string): TurnLexicon | undefined {
  return isLanguage(language) ? TURN_LEXICONS[language] : undefined;
}
