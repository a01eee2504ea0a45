import type { SpokenForm } from '../../aligned-text.js';
import { type Gender, type Grammar, loadForms } from '../rules/grammar.js';
import { inScales, ROMAN_NUMERAL, romanValue } from '../rules/spelled-scales.js';
import { CATALAN_TABLES, CATALAN_WORDS } from '../word-lists/ca.js';

const FORMS = loadForms(CATALAN_WORDS);
const SMALL = CATALAN_TABLES.small.split(' ');
const TENS = CATALAN_TABLES.tens.split(' ');
const FIRST_ORDINALS = CATALAN_TABLES.firstOrdinals;
const ORDINAL_STEMS: ReadonlyMap<string, string> = new Map(
  Object.entries(CATALAN_TABLES.ordinalStems),
);

/** Source: CLDR rbnf/ca.xml; IEC, Ortografia (hyphens between tens and units, and between units and hundreds). */
function below1000(value: number, gender?: Gender): string {
  if (value >= 100) {
    const count = Math.floor(value / 100);
    const plural = gender === 'f' ? 'centes' : 'cents';
    const hundreds = count === 1 ? 'cent' : `${below1000(count, gender)}-${plural}`;
    return value % 100 === 0 ? hundreds : `${hundreds} ${below1000(value % 100, gender)}`;
  }
  if (value >= 20) {
    const tens = TENS[Math.floor(value / 10)]!;
    if (value % 10 === 0) return tens;
    return `${tens}${value < 30 ? '-i-' : '-'}${below1000(value % 10, gender)}`;
  }
  if (value === 1 && gender) return gender === 'f' ? 'una' : 'un';
  return value === 2 && gender === 'f' ? 'dues' : SMALL[value]!;
}

function cardinal(value: number, gender?: Gender): string {
  const multiple = gender === 'f' ? 'f' : 'm';
  const scale = (of: number, one: string, many: string) => ({
    of,
    say: (n: number) => (n === 1 ? one : `${cardinal(n, 'm')} ${many}`),
  });
  return inScales(
    value,
    [
      scale(1e12, 'un bilió', 'bilions'),
      scale(1e6, 'un milió', 'milions'),
      { of: 1000, say: (n) => (n === 1 ? 'mil' : `${below1000(n, multiple)} mil`) },
    ],
    (rest) => below1000(rest, gender),
  ).join(' ');
}

/** Returns the cardinal with "-è" or "-ena". Source: CLDR rbnf/ca.xml, spellout-ordinal-*. */
function ordinal(value: number, isFeminine: boolean): string {
  const first = FIRST_ORDINALS[value];
  if (first) return first[isFeminine ? 1 : 0];
  const words = cardinal(value);
  const last = /[^ -]+$/.exec(words)?.[0] ?? '';
  const stem = ORDINAL_STEMS.get(last) ?? last.replace(/[ae]$/, '').replace(/nts$/, 'nt');
  return words.slice(0, words.length - last.length) + stem + (isFeminine ? 'ena' : 'è');
}

const NO_NOUN =
  /^(?:del?s?|i|o|a|al|als|en|amb|per|que|és|són|el|la|els|les|un|una|més|menys|es|em|no|fins|des|entre|coma|punt)$/;
/** Masculine nouns that end in "-es" or "-a", and others without a typical ending. */
const MASCULINE =
  /^(?:dia|dies|.*metres?|homes?|pares?|litres?|euros?|temes|sistemes|programes|problemes|idiomes|cotxes|nombres?|números?|llibres|graus|pobles|viatges|missatges|metges|clients?|vespres?|diumenges?)$/;

function genderOf(word: string, value: number): Gender | undefined {
  const small = word.toLowerCase();
  if (NO_NOUN.test(small) || small.length < 3) return undefined;
  if (value !== 1 && !small.endsWith('s')) return undefined;
  if (MASCULINE.test(small)) return 'm';
  return /(?:a|es|ci[óo](?:ns)?|tats?|nits?)$/.test(small) ? 'f' : 'm';
}

const OWN: readonly SpokenForm[] = [
  {
    pattern: /(?<![\p{L}\d.,])(\d{1,3})\.?(r|n|t|è|é|a|ª|º|ns|rs)(?!\p{L})/gu,
    say: ([, digits, sign = '']) => ordinal(Number(digits), sign === 'a' || sign === 'ª'),
  },
  {
    pattern: new RegExp(`(?<=(?:segles?|Segles?|capítol|tom) )${ROMAN_NUMERAL}`, 'gu'),
    say: ([numeral]) => {
      const value = romanValue(numeral);
      return value === 0 ? undefined : cardinal(value);
    },
  },
];

/** The grammar of Catalan. Source: IEC, Gramàtica and Ortografia catalana; Optimot; CLDR rbnf/ca.xml. */
export const CATALAN: Grammar = {
  ...FORMS,
  own: OWN,
  cardinal,
  genderOf,
  fraction: (over, under) => {
    if (under > 99) return undefined;
    const part = FORMS.fractions[under] ?? ordinal(under, false);
    return over === 1
      ? `un ${part}`
      : `${cardinal(over, 'm')} ${part.replace(/ç$/, 'ço').replace(/è$/, 'en')}s`;
  },
  date: ({ day, month, year }) => {
    const name = FORMS.months[month - 1]!;
    const of = /^[ao]/.test(name) ? "d'" : 'de ';
    return `${cardinal(day)} ${of}${name}${year === undefined ? '' : ` de ${cardinal(year)}`}`;
  },
  time: ({ hour, minute }) => {
    const hours = cardinal(hour, 'f');
    if (minute === 0) return `${hours} ${hour === 1 ? 'hora' : 'hores'}`;
    return `${hours} ${minute < 10 ? 'zero ' : ''}${cardinal(minute)}`;
  },
};
