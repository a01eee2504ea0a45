import { plainEnglish } from '../english/plain-english.js';
import { CATALAN } from './ca/grammar.js';
import { GERMAN } from './de/grammar.js';
import { SPANISH } from './es/grammar.js';
import { FRENCH } from './fr/grammar.js';
import type { Grammar } from './grammar.js';
import { ITALIAN } from './it/grammar.js';
import { DUTCH } from './nl/grammar.js';
import { LanguageNormaliser } from './normaliser.js';
import { POLISH } from './pl/grammar.js';
import { PORTUGUESE } from './pt/grammar.js';
import { RUSSIAN } from './ru/grammar.js';
import { SWEDISH } from './sv/grammar.js';

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
