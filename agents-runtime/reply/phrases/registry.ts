import { isLanguage, type Language } from '../../../media/languages.js';
import { CATALAN_PHRASES } from './ca.js';
import { GERMAN_PHRASES } from './de.js';
import { ENGLISH_PHRASES } from './en.js';
import { SPANISH_PHRASES } from './es.js';
import { FRENCH_PHRASES } from './fr.js';
import { ITALIAN_PHRASES } from './it.js';
import { DUTCH_PHRASES } from './nl.js';
import { POLISH_PHRASES } from './pl.js';
import { PORTUGUESE_PHRASES } from './pt.js';
import { RUSSIAN_PHRASES } from './ru.js';
import type { StockPhrases } from './stock-phrases.js';
import { SWEDISH_PHRASES } from './sv.js';

export const STOCK_PHRASES: Readonly<Record<Language, StockPhrases>> = {
  en: ENGLISH_PHRASES,
  ca: CATALAN_PHRASES,
  sv: SWEDISH_PHRASES,
  es: SPANISH_PHRASES,
  fr: FRENCH_PHRASES,
  de: GERMAN_PHRASES,
  it: ITALIAN_PHRASES,
  pt: PORTUGUESE_PHRASES,
  pl: POLISH_PHRASES,
  ru: RUSSIAN_PHRASES,
  nl: DUTCH_PHRASES,
};

/** The phrases of a language; English for a language without its own. */
export function stockPhrasesIn(language: string): StockPhrases {
  return STOCK_PHRASES[isLanguage(language) ? language : 'en'];
}
