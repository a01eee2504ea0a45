import type { SpokenForm } from '../../aligned-text.js';
import { type Gender, type Grammar, loadForms } from '../rules/grammar.js';
import { contextOf } from '../rules/number-text.js';
import { ROMAN_NUMERAL, romanValue } from '../rules/spelled-scales.js';
import { POLISH_TABLES, POLISH_WORDS } from '../word-lists/pl.js';
import {
  type PolishOrdinalForm,
  polishCardinal,
  polishGenitive,
  polishOrdinal,
} from './pl-numbers.js';

const FORMS = loadForms(POLISH_WORDS);
const YEARS: Readonly<Record<string, PolishOrdinalForm>> = POLISH_TABLES.years;

const GENITIVE =
  /(?:^|[^\p{L}])(?:od|do|z|ze|bez|dla|około|ok\.|powyżej|poniżej|ponad|spośród|koło|obok|u) $/iu;
/** Prepositions before a time of day that require the oblique feminine, as "godzina" does. */
const HOUR_OBLIQUE = /(?:^|[^\p{L}])(?:o|od|do|po|przed|około|godz\.|godzinie|godziny) $/iu;
const LOCATIVE = /(?:^|[^\p{L}])(?:w|we|na|po|o|przy) $/iu;

/** Nouns that are counted often and whose ending does not show their gender after one and two. */
const FEMININE =
  /^(?:minut[ay]?|sekund[ay]?|godzin[ay]?|osob[ay]|osób|stron[ay]?|ton[ay]?|mil[ae]?|rzecz[yi]?|noc[e]?|częś(?:ć|ci)|książ(?:ka|ki|ek)|sztuk[ai]?|kaw[ay]?|kobiet[ay]?|córk[ai]|ulic[ae]|klas[ay]|szkoł[ay]|koron[ay]?|godz\.|dob[ay]|złotówk[ai]|wiadomości?|odpowiedzi?|restauracj[ae]|lekcj[ae]|wersj[ae]|kopi[ae]|rat[ay]|zniżk[ai]|paczk[ai]|przesyłk[ai]|faktur[ay])$/;

function genderOf(word: string, value: number): Gender | undefined {
  const small = word.toLowerCase();
  if (small.length < 3) return undefined;
  if (FEMININE.test(small)) return 'f';
  if (value !== 1) return undefined;
  if (/a$/.test(small)) return 'f';
  return /[oeę]$/.test(small) ? 'n' : 'm';
}

/** Feminine nouns in the locative, after "w" and "na". */
const FEMININE_LOCATIVE =
  /^ (?:klasie|części|turze|rundzie|połowie|lidze|edycji|godzinie|wojnie|stronie|wersji|linii|dobie|kolejności|pozycji|zmianie)(?!\p{L})/u;

/** Returns the form of an ordinal such as "3." by the ending of the noun after it. */
function formBefore(behind: string, before: string): PolishOrdinalForm {
  if (LOCATIVE.test(before)) {
    return FEMININE_LOCATIVE.test(behind) ? 'feminine-oblique' : 'locative';
  }
  const word = /^ (\p{L}+)/u.exec(behind)?.[1] ?? '';
  if (/^(?:miejsce|piętro|.*(?:nie|cie|um|[^i]o))$/.test(word)) return 'neuter';
  return /a$/.test(word) && !GENITIVE.test(before) ? 'feminine' : 'masculine';
}

const OWN: readonly SpokenForm[] = [
  { pattern: /(?<=(?:^|[^\p{L}])o )godz\./giu, needs: 'godz.', say: () => 'godzinie' },
  { pattern: /(?<=(?:^|[^\p{L}])(?:od|do) )godz\./giu, needs: 'godz.', say: () => 'godziny' },
  {
    pattern: /(?<![\p{L}\d.,])(\d{3,4}) ?(rok(?:u|iem)?|r\.)(?!\p{L})/gu,
    say: (match) => {
      const [found, digits, word = ''] = match;
      const { before, behind } = contextOf(match);
      const isIn = word !== 'rok' && /(?:^|[^\p{L}])(?:w|po|o) $/iu.test(before);
      const form = isIn ? 'locative' : (YEARS[word] ?? 'genitive');
      const stop = found.endsWith('.') && behind.trim() === '' ? '.' : '';
      return `${polishOrdinal(Number(digits), form)} ${word === 'r.' ? 'roku' : word}${stop}`;
    },
  },
  {
    pattern: /(?<=(?:^|[^\p{L}])(rok|roku) )(\d{3,4})(?![\p{L}\d.,]*\d)/giu,
    say: ([, word = '', digits]) =>
      polishOrdinal(Number(digits), word.toLowerCase() === 'rok' ? 'masculine' : 'genitive'),
  },
  {
    pattern: /(?<![\p{L}\d.,])([1-9]\d{0,2})\.(?= \p{Ll})/gu,
    say: (match) => {
      const { before, behind } = contextOf(match);
      return polishOrdinal(Number(match[1]), formBefore(behind, before));
    },
  },
  {
    pattern: new RegExp(`(?<!\\p{L})${ROMAN_NUMERAL}(?= wiek(u|iem)?(?!\\p{L}))`, 'gu'),
    say: (match) => {
      const isIn = LOCATIVE.test(contextOf(match).before);
      const form = match[1] === 'u' ? (isIn ? 'locative' : 'genitive') : 'masculine';
      return polishOrdinal(romanValue(match[0]), form);
    },
  },
];

/** The grammar of Polish. Source: PWN, Poradnia językowa and Słownik języka polskiego; CLDR rbnf/pl.xml. */
export const POLISH: Grammar = {
  ...FORMS,
  own: OWN,
  cardinal: polishCardinal,
  genitive: polishGenitive,
  asksGenitive: (before) => GENITIVE.test(before),
  genderOf,
  fraction: (over, under) => {
    if (under > 100) return undefined;
    const rule = new Intl.PluralRules('pl').select(over);
    const forms = { one: 'feminine', few: 'plural', many: 'plural-genitive' } as const;
    return `${polishCardinal(over, 'f')} ${polishOrdinal(under, forms[rule as keyof typeof forms] ?? 'plural')}`;
  },
  date: ({ day, month, year }) => {
    const words = [polishOrdinal(day, 'genitive'), FORMS.months[month - 1]];
    if (year !== undefined) words.push(polishOrdinal(year, 'genitive'), 'roku');
    return words.join(' ');
  },
  time: ({ hour, minute, before }) => {
    const hours = polishOrdinal(hour, HOUR_OBLIQUE.test(before) ? 'feminine-oblique' : 'feminine');
    if (minute === 0) return hours;
    return `${hours} ${minute < 10 ? 'zero ' : ''}${polishCardinal(minute)}`;
  },
};
