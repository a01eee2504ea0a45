import type { Dialect } from '../../../languages.js';
import { addresses } from '../../addresses.js';
import { AlignedText, type SpokenForm } from '../../aligned-text.js';
import { MARKUP } from '../../markup.js';
import { CLEANING, isPlain, NO_SPACE_BEFORE_MARKS, SPACING } from '../../sanitise.js';
import { signNamesOf } from '../../speech-text.js';
import { type SettledWord, withSigns } from '../fixed-pronunciations.js';
import { abbreviations } from './abbreviations.js';
import { DAY_RANGES, namedDates, numericDates, slashPairs } from './dates.js';
import type { NormaliserTables } from './default-tables.js';
import { money } from './money.js';
import { BRITISH_NUMBERS, NUMBERS } from './numbers.js';
import { CODES, PHONES } from './phones.js';
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

  constructor(tables: NormaliserTables, dialect: Dialect) {
    this.#written = [
      SPELLING,
      ...MARKUP,
      ...SPACING,
      NO_SPACE_BEFORE_MARKS,
      ...FILE_NAMES,
      ...addresses({ signs: signNamesOf('en'), spell: spellApart }),
    ];
    this.#numeric = [
      ...TIMES,
      ...numericDates(tables, dialect),
      ...CODES,
      ...PHONES,
      ...money(tables),
      ...units(tables),
      ...namedDates(tables),
    ];
    this.#named = [...DAY_RANGES, ...abbreviations(tables)];
    this.#numbers = [
      ...slashPairs(tables),
      ...NUMBERS,
      ...(dialect === 'gb' ? BRITISH_NUMBERS : []),
    ];
    this.#symbols = symbols(tables);
  }

  /** @param settled stay as they are, each as a sign. */
  normalise(original: string, settled: readonly SettledWord[] = []): AlignedText {
    let text = AlignedText.of(original);
    if (!isPlain(original)) text = apply(text, CLEANING);
    text = apply(withSigns(text, settled), this.#written);
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

/** "node.js", "report.pdf": the dot is said, and endings that are no word are spelt. */
const FILE_NAMES: readonly SpokenForm[] = [
  {
    pattern:
      /(?<=[\w-]{2})\.(js|ts|py|md|txt|pdf|docx?|xlsx?|csv|html?|css|jpe?g|png|gif|mp3|mp4|wav|sh|yml|rs|cpp)(?!\w)/gi,
    say: ([, ending = '']) => ` dot ${ending.toUpperCase()}`,
  },
  {
    pattern: /(?<=[\w-]{2})\.(exe|zip|java|json|net|app)(?!\w)/gi,
    say: ([, ending]) => ` dot ${ending}`,
  },
];

function apply(text: AlignedText, rules: readonly SpokenForm[]): AlignedText {
  return rules.reduce((current, rule) => current.rewrite(rule), text);
}
