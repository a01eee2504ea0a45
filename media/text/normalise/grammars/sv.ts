import type { SpokenForm } from '../../aligned-text.js';
import { type Gender, type Grammar, loadForms } from '../rules/grammar.js';
import { inScales } from '../rules/spelled-scales.js';
import { SWEDISH_TABLES, SWEDISH_WORDS } from '../word-lists/sv.js';

const FORMS = loadForms(SWEDISH_WORDS);
const SMALL = SWEDISH_TABLES.small.split(' ');
const TENS = SWEDISH_TABLES.tens.split(' ');
const ORDINALS = SWEDISH_TABLES.ordinals.split(' ');

/** Returns a number below a thousand in one word. Source: CLDR rbnf/sv.xml, spellout-numbering. */
function below1000(value: number, gender?: Gender): string {
  if (value >= 100) {
    const count = Math.floor(value / 100);
    const rest = value % 100;
    return `${count === 1 ? '' : SMALL[count]}hundra${rest > 0 ? below1000(rest, gender) : ''}`;
  }
  if (value >= 20) {
    const rest = value % 10;
    return TENS[Math.floor(value / 10)]! + (rest > 0 ? SMALL[rest]! : '');
  }
  return value === 1 && gender && gender !== 'n' ? 'en' : SMALL[value]!;
}

function cardinal(value: number, gender?: Gender): string {
  const scale = (of: number, one: string, many: string) => ({
    of,
    say: (n: number) => (n === 1 ? `en ${one}` : `${cardinal(n)} ${many}`),
  });
  return inScales(
    value,
    [
      scale(1e12, 'biljon', 'biljoner'),
      scale(1e9, 'miljard', 'miljarder'),
      scale(1e6, 'miljon', 'miljoner'),
      // "ett" + "tusen" becomes "ettusen"
      { of: 1000, say: (n) => (n === 1 ? 'tusen' : `${below1000(n).replace(/ett$/, 'et')}tusen`) },
    ],
    (rest) => below1000(rest, gender),
  ).join(' ');
}

/** Returns the ordinal. Source: CLDR rbnf/sv.xml, spellout-ordinal-neutre. */
function ordinal(value: number): string {
  const rest = value % 100;
  if (value >= 100) {
    const hundreds = cardinal(value - rest);
    return rest === 0 ? `${hundreds}de` : hundreds + ordinal(rest);
  }
  if (value < 13) return ORDINALS[value]!;
  if (value < 20) return `${SMALL[value]}de`;
  const tens = TENS[Math.floor(value / 10)]!;
  return value % 10 === 0 ? `${tens}nde` : tens + ordinal(value % 10);
}

/** Returns a year in words, in hundreds from 1100 on. Source: CLDR rbnf/sv.xml, spellout-numbering-year. */
function yearInWords(value: number): string {
  const hundreds = Math.floor(value / 100);
  if (hundreds < 11 || hundreds > 20) return cardinal(value);
  return `${below1000(hundreds)}hundra${value % 100 ? below1000(value % 100) : ''}`;
}

/** Neuter nouns that are counted often, and endings of neuter nouns. */
const NEUTER =
  /^(?:hus|år|barn|kilo|(?:kilo|milli)?gram|ord|rum|bord|bolag|liv|hjärta|namn|land|ljus|program|system|problem|paket|brev|bad|kvitto|konto|kort|glas|djur|träd|nummer|öre|pund|test|besök|möte|samtal|svar|äpple|ägg|.*(?:ande|ende|um|ment))$/;
const COUNTED = /^ (?:\p{Ll}{2,20}(?:or|ar|er|kr|procent)|år|barn|hus|personer)(?!\p{L})/u;

const DECADE: SpokenForm = {
  pattern: /(?<![\p{L}\d.,])(\d{2,4})-(?=tal)/gu,
  needs: '-tal',
  say: ([, digits]) => yearInWords(Number(digits)),
};

const NUMBERED: SpokenForm = {
  pattern: /(?<![\p{L}\d.,])(\d{1,4}):(?:a|e|de|te)(?!\p{L})/gu,
  needs: ':',
  say: ([, digits]) => ordinal(Number(digits)),
};

/** "2.30 e.m." */
const HALF_DAY: SpokenForm = {
  pattern: /(?<![\p{L}\d.,])(\d{1,2})\.(\d{2})(?= ?[ef]\.m\.)/gu,
  needs: '.m.',
  say: ([, hour, minute]) => {
    if (Number(hour) > 12 || Number(minute) > 59) return undefined;
    return `${cardinal(Number(hour))}${Number(minute) > 0 ? ` ${cardinal(Number(minute))}` : ''}`;
  },
};

/** The grammar of Swedish. Source: Isof, Frågelådan; Myndigheternas skrivregler; CLDR rbnf/sv.xml. */
export const SWEDISH: Grammar = {
  ...FORMS,
  own: [NUMBERED, DECADE, HALF_DAY],
  cardinal,
  year: (value, behind) => (COUNTED.test(behind) ? undefined : yearInWords(value)),
  genderOf: (word) => {
    const small = word.toLowerCase();
    if (
      /^(?:och|till|av|i|på|är|med|eller|för|som|den|det|från|komma|punkt|plus|minus)$/.test(small)
    ) {
      return undefined;
    }
    return NEUTER.test(small) ? 'n' : 'f';
  },
  fraction: (over, under) => {
    if (under === 2) return over === 1 ? 'en halv' : undefined;
    const part = FORMS.fractions[under];
    return part && `${cardinal(over, 'f')} ${part}${over === 1 ? '' : 'ar'}`;
  },
  date: ({ day, month, year }) => {
    const words = [ordinal(day), FORMS.months[month - 1]];
    if (year !== undefined) words.push(yearInWords(year));
    return words.join(' ');
  },
  time: ({ hour, minute, before }) => {
    const hours = cardinal(hour);
    const isNamed = /(?:kl\.?|klockan) $/i.test(before);
    if (minute === 0) return isNamed ? hours : `${hours} noll noll`;
    return `${hours} ${minute < 10 ? 'noll' : 'och'} ${cardinal(minute)}`;
  },
};
