import type { ReadRule } from './lexeme-reader.js';

/**
 * Where several lexemes have one word, the first rule is the one that is used: those whose
 * pronunciation is preferred go before the others of their word (Source: PLS 1.0, 4.9.2).
 */
export function preferredFirst(rules: readonly ReadRule[]): readonly ReadRule[] {
  const ordered = [...rules];
  for (const places of placesOfWords(rules).values()) {
    const ofWord = places.map((place) => rules[place]!);
    const isBefore = ofWord.filter(({ isPreferred }) => isPreferred);
    const isAfter = ofWord.filter(({ isPreferred }) => !isPreferred);
    for (const [at, rule] of [...isBefore, ...isAfter].entries()) ordered[places[at]!] = rule;
  }
  return ordered;
}

/** Of words that some lexeme prefers a pronunciation of; all places of their rules. */
function placesOfWords(rules: readonly ReadRule[]): ReadonlyMap<string, readonly number[]> {
  const preferred = rules.filter(({ isPreferred }) => isPreferred);
  const places = new Map(preferred.map(({ word }): [string, number[]] => [word, []]));
  for (const [place, { word }] of rules.entries()) places.get(word)?.push(place);
  return places;
}
