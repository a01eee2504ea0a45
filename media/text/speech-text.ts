import { isLanguage, type Language } from '../languages.js';
import { addresses, type SignNames } from './addresses.js';
import { AlignedText, type SpokenForm } from './aligned-text.js';
import { MARKUP } from './markup.js';
import { CLEANING, SPACING } from './sanitise.js';

const SIGNS = ['.', '@', '/', '-', '_', '+', '=', '&', '?', '#', ':', '%', '~'] as const;
const SIGN_WORDS: Readonly<Record<Language, string>> = {
  en: 'dot|at|slash|dash|underscore|plus|equals|and|question mark|hash|colon|percent|tilde',
  ca: 'punt|arrova|barra|guió|guió baix|més|igual|i|interrogant|coixinet|dos punts|per cent|titlla',
  sv: 'punkt|snabel-a|snedstreck|bindestreck|understreck|plus|lika med|och|frågetecken|nummertecken|kolon|procent|tilde',
  es: 'punto|arroba|barra|guion|guion bajo|más|igual|y|interrogación|almohadilla|dos puntos|por ciento|tilde',
  fr: 'point|arobase|barre oblique|tiret|tiret bas|plus|égale|et|point d’interrogation|dièse|deux-points|pour cent|tilde',
  de: 'Punkt|at|Schrägstrich|Bindestrich|Unterstrich|plus|gleich|und|Fragezeichen|Raute|Doppelpunkt|Prozent|Tilde',
  it: 'punto|chiocciola|barra|trattino|trattino basso|più|uguale|e|punto di domanda|cancelletto|due punti|per cento|tilde',
  pt: 'ponto|arroba|barra|hífen|sublinhado|mais|igual|e|ponto de interrogação|cardinal|dois pontos|por cento|til',
  pl: 'kropka|małpa|ukośnik|myślnik|podkreślenie|plus|równa się|i|znak zapytania|krzyżyk|dwukropek|procent|tylda',
  ru: 'точка|собака|слэш|дефис|подчёркивание|плюс|равно|и|вопросительный знак|решётка|двоеточие|процент|тильда',
  nl: 'punt|apenstaartje|schuine streep|streepje|laag streepje|plus|is|en|vraagteken|hekje|dubbele punt|procent|tilde',
};

/** The names of the signs in addresses, of a language without its own in English. */
export function signNamesOf(language: string): SignNames {
  const words = SIGN_WORDS[isLanguage(language) ? language : 'en'].split('|');
  return new Map(SIGNS.map((sign, i) => [sign, words[i] ?? '']));
}

const rulesByLanguage = new Map<string, readonly SpokenForm[]>();

function rulesOf(language: string): readonly SpokenForm[] {
  const known = rulesByLanguage.get(language);
  if (known) return known;
  const spell = (letters: string) => Array.from(letters).join(' ');
  const rules = [
    ...CLEANING,
    ...[...MARKUP, ...addresses({ signs: signNamesOf(language), spell })].map(outsideSpelling),
    ...SPACING,
  ];
  if (isLanguage(language)) rulesByLanguage.set(language, rules);
  return rules;
}

/** The rule, but for what stands inside `[SPELL:…]`. */
function outsideSpelling(rule: SpokenForm): SpokenForm {
  return {
    ...rule,
    say: (match) => {
      const opening = match.input.lastIndexOf('[SPELL:', match.index);
      const isInside = opening >= 0 && match.input.indexOf(']', opening) >= match.index;
      return isInside ? undefined : rule.say(match);
    },
  };
}

/**
 * A piece of a written reply as it should be said: no Markdown, HTML or emoji, addresses in the
 * language's words. `[SPELL:…]`, numbers and abbreviations stay: the voice's front end knows them.
 */
export function speechTextOf(piece: string | AlignedText, language: string): AlignedText {
  const written = typeof piece === 'string' ? AlignedText.of(piece) : piece;
  return written.rewriteAll(rulesOf(language));
}

/**
 * Leaves fenced blocks of code out of a reply that arrives in tokens: nobody wants to hear them.
 * Holds back no more than a line's first few characters, while they may open a fence.
 */
export class CodeBlockFilter {
  /** The start of a line that may be a fence. */
  #held = '';
  #isLineStart = true;
  #fence: string | undefined;

  push(token: string): string {
    let kept = '';
    for (const character of token) kept += this.#next(character);
    return kept;
  }

  flush(): string {
    const rest = this.#fence === undefined ? this.#held : '';
    this.#held = '';
    this.#isLineStart = true;
    this.#fence = undefined;
    return rest;
  }

  #next(character: string): string {
    if (character === '\n') return this.#endLine();
    if (!this.#isLineStart) return this.#fence === undefined ? character : '';
    this.#held += character;
    if (/^ {0,3}(?:`{0,2}|~{0,2})$/.test(this.#held)) return '';
    if (this.#fence === undefined) return this.#beginLine();
    this.#isLineStart = this.#isClosing(this.#held);
    if (!this.#isLineStart) this.#held = '';
    return '';
  }

  /** The line's first characters are told: a fence opens, or it is text. */
  #beginLine(): string {
    const line = this.#held;
    this.#held = '';
    this.#isLineStart = false;
    const fence = /^ {0,3}(```|~~~)$/.exec(line)?.[1];
    if (fence === undefined) return line;
    this.#fence = fence;
    return '';
  }

  #endLine(): string {
    const line = this.#held;
    this.#held = '';
    const wasLineStart = this.#isLineStart;
    this.#isLineStart = true;
    if (this.#fence === undefined) return `${line}\n`;
    if (wasLineStart && this.#isClosing(line) && line.includes(this.#fence))
      this.#fence = undefined;
    return '';
  }

  /** So far nothing but a closing fence. */
  #isClosing(line: string): boolean {
    return line.length < 40 && /^ {0,3}(?:`*|~*)\s*$/.test(line);
  }
}
