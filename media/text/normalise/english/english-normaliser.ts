import type { Dialect } from '../../../languages.js';
import { addresses } from '../../addresses.js';
import type { SpokenForm } from '../../aligned-text.js';
import { MARKUP } from '../../markup.js';
import { NO_SPACE_BEFORE_MARKS, SPACING } from '../../sanitise.js';
import { signNamesOf } from '../../speech-text.js';
import { type NormaliserPhase, TextNormaliser } from '../text-normaliser.js';
import { DEFAULT_TABLES } from '../word-lists/en-default.js';
import type { NormaliserTables } from '../word-lists/english-tables.js';
import { abbreviations } from './abbreviations.js';
import { DAY_RANGES, namedDates, numericDates, slashPairs } from './dates.js';
import { money } from './money.js';
import { BRITISH_NUMBERS, NUMBERS } from './numbers.js';
import { CODES, PHONES } from './phones.js';
import { SPELLING, SPELT, spelt, speltCharacters } from './spelling.js';
import { symbols } from './symbols.js';
import { TIMES } from './times.js';
import { units } from './units.js';

const DIGIT = /\d/;

/** Writes letters to spell by name, because a phonemizer reads "A" as the article. */
const LETTER_NAMES: SpokenForm = {
  pattern: new RegExp(`[${SPELT}]+`, 'g'),
  say: ([signs]) =>
    Array.from(speltCharacters(signs) ?? '', (sign) => NAMES.get(sign) ?? sign).join(' '),
};
const NAMES: ReadonlyMap<string, string> = new Map([
  ['A', 'eigh'],
  ['.', 'point'],
]);

/**
 * Creates the normaliser for a voice with its word lists. Letters to spell remain private-use characters; see
 * `spelling.ts`.
 */
export function englishNormaliser(tables: NormaliserTables, dialect: Dialect): TextNormaliser {
  return new TextNormaliser(englishPhases(tables, dialect));
}

/** Creates the normaliser of American English for an engine with its own phonemizer. The result has words only. */
export function plainEnglishNormaliser(): TextNormaliser {
  return new TextNormaliser([...englishPhases(DEFAULT_TABLES, 'us'), { rules: [LETTER_NAMES] }]);
}

function englishPhases(tables: NormaliserTables, dialect: Dialect): NormaliserPhase[] {
  return [
    {
      rules: [
        SPELLING,
        ...MARKUP,
        ...SPACING,
        NO_SPACE_BEFORE_MARKS,
        ...FILE_NAMES,
        ...addresses({ signs: signNamesOf('en'), spell: spellApart }),
      ],
    },
    {
      rules: [
        ...TIMES,
        ...numericDates(tables, dialect),
        ...CODES,
        ...PHONES,
        ...money(tables),
        ...units(tables),
        ...namedDates(tables),
      ],
      needs: DIGIT,
    },
    { rules: [...DAY_RANGES, ...abbreviations(tables)] },
    {
      rules: [...slashPairs(tables), ...NUMBERS, ...(dialect === 'gb' ? BRITISH_NUMBERS : [])],
      needs: DIGIT,
    },
    { rules: [...symbols(tables), ...SPACING] },
  ];
}

/** Spells letters of an address that are not a word. */
function spellApart(letters: string): string {
  return Array.from(letters, (letter) => spelt(letter.toUpperCase())).join(' ');
}

/** Rules for "node.js" and "report.pdf": the dot is spoken, and endings that are not words are spelt. */
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
