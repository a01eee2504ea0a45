import { isLanguage, type Language } from '../../languages.js';
import { plainEnglishNormaliser } from './english/english-normaliser.js';
import { grammarNormaliser } from './grammar-normaliser.js';
import { CATALAN } from './grammars/ca.js';
import { GERMAN } from './grammars/de.js';
import { SPANISH } from './grammars/es.js';
import { FRENCH } from './grammars/fr.js';
import { ITALIAN } from './grammars/it.js';
import { DUTCH } from './grammars/nl.js';
import { POLISH } from './grammars/pl.js';
import { PORTUGUESE } from './grammars/pt.js';
import { RUSSIAN } from './grammars/ru.js';
import { SWEDISH } from './grammars/sv.js';
import type { TextNormaliser } from './text-normaliser.js';

const CREATE: Readonly<Record<Language, () => TextNormaliser>> = {
  en: plainEnglishNormaliser,
  ca: () => grammarNormaliser(CATALAN),
  sv: () => grammarNormaliser(SWEDISH),
  es: () => grammarNormaliser(SPANISH),
  fr: () => grammarNormaliser(FRENCH),
  de: () => grammarNormaliser(GERMAN),
  it: () => grammarNormaliser(ITALIAN),
  pt: () => grammarNormaliser(PORTUGUESE),
  pl: () => grammarNormaliser(POLISH),
  ru: () => grammarNormaliser(RUSSIAN),
  nl: () => grammarNormaliser(DUTCH),
};

const normalisers = new Map<Language, TextNormaliser>();

/**
 * Returns the normaliser of a language, which is created on its first use; `undefined` for an unsupported
 * language. The English voice of `english-g2p` has another normaliser, with the word lists of its model.
 * @param language - ISO 639-1
 */
export function normaliserOf(language: string): TextNormaliser | undefined {
  if (!isLanguage(language)) return undefined;
  let normaliser = normalisers.get(language);
  if (!normaliser) {
    normaliser = CREATE[language]();
    normalisers.set(language, normaliser);
  }
  return normaliser;
}

/** A text that matches a rule of each kind. */
const SAMPLE = 'A 1. 12.05.2025, 8:30, 3,5 km, 12,50 €, 5 % z. B. BMW, +49 171 1234567, 1/2 🎉';

/** Compiles the rules of a language, which takes tens of ms. Afterwards a sentence takes less than 1 ms. */
export function warmNormaliser(language: string): void {
  normaliserOf(language)?.normalise(SAMPLE);
}
