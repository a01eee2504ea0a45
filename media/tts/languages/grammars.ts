import { GERMAN } from './de/grammar.js';
import { SPANISH } from './es/grammar.js';
import { FRENCH } from './fr/grammar.js';
import type { Grammar } from './grammar.js';
import { LanguageNormaliser } from './normaliser.js';

const GRAMMARS: ReadonlyMap<string, Grammar> = new Map(
  [GERMAN, SPANISH, FRENCH].map((grammar) => [grammar.language, grammar]),
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
