import { addresses } from '../../addresses.js';
import { CLEANING, isPlain, NO_SPACE_BEFORE_MARKS, SPACING } from '../../clean.js';
import { MARKUP } from '../../markup.js';
import { signNamesOf } from '../../speakable.js';
import { type SpokenForm, TracedText } from '../../traced-text.js';
import type { NormaliserTables } from '../assets.js';
import { abbreviations } from './abbreviations.js';
import { namedDates, numericDates, slashPairs } from './dates.js';
import { money } from './money.js';
import { NUMBERS } from './numbers.js';
import { PHONES } from './phones.js';
import { SPELLING, spelt } from './spelling.js';
import { symbols } from './symbols.js';
import { TIMES } from './times.js';
import { units } from './units.js';

const DIGIT = /\d/;

/** Writes an English text as it is said: no digit, sign or abbreviation remains, only words and pauses. */
export class EnglishNormaliser {
  readonly #written: readonly SpokenForm[];
  readonly #numeric: readonly SpokenForm[];
  readonly #named: readonly SpokenForm[];
  readonly #numbers: readonly SpokenForm[];
  readonly #symbols: readonly SpokenForm[];

  constructor(tables: NormaliserTables) {
    this.#written = [
      SPELLING,
      ...MARKUP,
      ...SPACING,
      NO_SPACE_BEFORE_MARKS,
      ...addresses({ signs: signNamesOf('en'), spell: spellApart }),
    ];
    this.#numeric = [
      ...TIMES,
      ...numericDates(tables),
      ...PHONES,
      ...money(tables),
      ...units(tables),
      ...namedDates(tables),
    ];
    this.#named = abbreviations(tables);
    this.#numbers = [...slashPairs(tables), ...NUMBERS];
    this.#symbols = symbols(tables);
  }

  normalise(original: string): TracedText {
    let text = TracedText.of(original);
    if (!isPlain(original)) text = apply(text, CLEANING);
    text = apply(text, this.#written);
    if (DIGIT.test(text.text)) text = apply(text, this.#numeric);
    text = apply(text, this.#named);
    if (DIGIT.test(text.text)) text = apply(text, this.#numbers);
    return apply(apply(text, this.#symbols), SPACING);
  }
}

/** Letters of an address that are no word. */
function spellApart(letters: string): string {
  return Array.from(letters, (letter) => spelt(letter.toUpperCase())).join(' ');
}

function apply(text: TracedText, rules: readonly SpokenForm[]): TracedText {
  return rules.reduce((current, rule) => current.rewrite(rule), text);
}
