import { plainEnglish } from './english/normalise-english.js';
import { CATALAN } from './languages/ca.js';
import { GERMAN } from './languages/de.js';
import { SPANISH } from './languages/es.js';
import { FRENCH } from './languages/fr.js';
import { ITALIAN } from './languages/it.js';
import { DUTCH } from './languages/nl.js';
import { POLISH } from './languages/pl.js';
import { PORTUGUESE } from './languages/pt.js';
import { RUSSIAN } from './languages/ru.js';
import { SWEDISH } from './languages/sv.js';
import { LanguageNormaliser } from './normaliser.js';
import type { Grammar } from './rules/grammar.js';

const GRAMMARS: ReadonlyMap<string, Grammar> = new Map(
  [CATALAN, DUTCH, FRENCH, GERMAN, ITALIAN, POLISH, PORTUGUESE, RUSSIAN, SPANISH, SWEDISH].map(
    (grammar) => [grammar.language, grammar],
  ),
);

const normalisers = new Map<string, LanguageNormaliser>();

/**
 * The text front end of a language, made when it is first asked for; nothing for English, whose
 * voices have their own.
 * @param language ISO 639-1.
 */
export function normaliserOf(language: string): LanguageNormaliser | undefined {
  const known = normalisers.get(language);
  const grammar = GRAMMARS.get(language);
  if (known || !grammar) return known;
  const normaliser = new LanguageNormaliser(grammar);
  normalisers.set(language, normaliser);
  return normaliser;
}

/** Has a rule of each kind at work. */
const SAMPLE = 'A 1. 12.05.2025, 8:30, 3,5 km, 12,50 €, 5 % z. B. BMW, +49 171 1234567, 1/2 🎉';

/** Makes a language's rules ready, which takes tens of milliseconds once; afterwards a sentence takes less than one. */
export function warmNormaliser(language: string): void {
  if (language === 'en') plainEnglish(SAMPLE);
  else normaliserOf(language)?.normalise(SAMPLE);
}
