import type { SpokenForm } from '../../aligned-text.js';
import { currencies, type Gender, type Grammar, letterNames, noun } from '../rules/grammar.js';
import { inScales, ROMAN_NUMERAL, romanValue } from '../rules/spelled-scales.js';

const SMALL =
  'zero u dos tres quatre cinc sis set vuit nou deu onze dotze tretze catorze quinze setze disset divuit dinou'.split(
    ' ',
  );
const TENS = '  vint trenta quaranta cinquanta seixanta setanta vuitanta noranta'.split(' ');
const MONTHS =
  'gener febrer març abril maig juny juliol agost setembre octubre novembre desembre'.split(' ');

/** Source: CLDR rbnf/ca.xml; hyphens between tens and units, and units and hundreds only: IEC, Ortografia. */
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

const FIRST_ORDINALS: readonly (readonly [string, string])[] = [
  ['zeroè', 'zerona'],
  ['primer', 'primera'],
  ['segon', 'segona'],
  ['tercer', 'tercera'],
  ['quart', 'quarta'],
];
/** Stems that an ordinal's ending changes. */
const ORDINAL_STEMS: ReadonlyMap<string, string> = new Map([
  ['cinc', 'cinqu'],
  ['nou', 'nov'],
  ['deu', 'des'],
  ['dinou', 'dinov'],
  ['u', 'un'],
]);

/** The cardinal with "-è" or "-ena" (Source: CLDR rbnf/ca.xml, spellout-ordinal-*). */
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
/** Masculine nouns in "-es" and "-a", and feminine ones without. */
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

const PARTS: Readonly<Record<number, string>> = {
  2: 'mig',
  3: 'terç',
  4: 'quart',
  10: 'dècim',
};

/** Catalan (Source: IEC, Gramàtica and Ortografia catalana; Optimot; CLDR rbnf/ca.xml). */
export const CATALAN: Grammar = {
  language: 'ca',
  words: {
    minus: 'menys',
    plus: 'més',
    times: 'per',
    equals: 'igual a',
    over: 'partit per',
    to: 'a',
    comma: 'coma',
    point: 'punt',
    and: 'i',
    number: 'número',
    paragraph: 'paràgraf',
  },
  pairsDecimals: true,
  months: MONTHS,
  shortMonths: ['gen', 'febr', 'mar', 'abr', '', '', 'jul', 'ag|ago', 'set', 'oct', 'nov', 'des'],
  clock: { suffixes: ['h', 'hores'], prefixes: ['les', 'Les'], hasHourLetter: true },
  money: {
    currencies: currencies([
      '€ EUR euros euro = m euro|euros = m cèntim|cèntims',
      '$ US$ USD = m dòlar|dòlars = m centau|centaus',
      '£ GBP = f lliura|lliures = m penic|penics',
      'CHF = m franc|francs = m cèntim|cèntims',
      '¥ JPY = m ien|iens',
    ]),
    join: ' amb ',
    namesParts: true,
    of: "d'",
  },
  scales: new Map([
    ['milions', noun('milió|milions')],
    ['milió', noun('milió|milions')],
    ['M', noun('milió|milions')],
  ]),
  unitSigns: { s: 'second' },
  moreUnits: {
    'm²': noun('metre quadrat|metres quadrats'),
    'km²': noun('quilòmetre quadrat|quilòmetres quadrats'),
    'm³': noun('metre cúbic|metres cúbics'),
    kWh: noun('quilowatt hora|quilowatts hora'),
    kW: noun('quilowatt|quilowatts'),
    W: noun('watt|watts'),
    V: noun('volt|volts'),
    MHz: noun('megahertz'),
    GHz: noun('gigahertz'),
    t: noun('tona|tones', 'f'),
    mg: noun('mil·ligram|mil·ligrams'),
  },
  letters: letterNames(
    'a:a b:be c:ce d:de e:e f:efa g:ge h:hac i:i j:jota k:ca l:ela m:ema n:ena o:o p:pe q:cu r:erra s:essa t:te u:u v:ve w:ve_doble x:ics y:i_grega z:zeta ç:ce_trencada',
  ),
  abbreviations: {
    'Sr.': 'senyor',
    'Sra.': 'senyora',
    'Srta.': 'senyoreta',
    'Dr.': 'doctor',
    'Dra.': 'doctora',
    'Prof.': 'professor',
    'Av.': 'avinguda',
    'Pl.': 'plaça',
    'c/#': 'carrer ',
    'C/ ': 'carrer ',
    'p.ex.': 'per exemple',
    'ex.': 'exemple',
    'etc.': 'etcètera',
    'pàg.': 'pàgina',
    'núm.': 'número',
    'tel.': 'telèfon',
    'fig.': 'figura',
    'art.': 'article',
    'cap.': 'capítol',
    'aprox.': 'aproximadament',
    'màx.': 'màxim',
    'mín.': 'mínim',
    'St.': 'sant',
    'Sta.': 'santa',
    'Mons.': 'monsenyor',
    'dept.': 'departament',
    'S.A.': 'societat anònima',
    'S.L.': 'societat limitada',
  },
  acronyms: ['UE', 'EUA', 'IBAN:Iban', 'ADN'],
  phones: [
    /(?<![\p{L}\d.,+-])[6-9]\d{2} \d{3} \d{3}(?![\d-]|[.,]\d)/gu,
    /(?<![\p{L}\d.,+-])[6-9]\d{1,2} \d{2,3} \d{2} \d{2}(?![\d-]|[.,]\d)/gu,
    /(?<![\p{L}\d.,+-])[6-9]\d{8}(?![\p{L}\d-]|[.,]\d)/gu,
  ],
  pairsPhones: false,
  own: OWN,
  cardinal,
  half: { behind: [' i mig', ' i mitja'], alone: ['mig', 'mitja'] },
  genderOf,
  fraction: (over, under) => {
    if (under > 99) return undefined;
    const part = PARTS[under] ?? ordinal(under, false);
    return over === 1
      ? `un ${part}`
      : `${cardinal(over, 'm')} ${part.replace(/ç$/, 'ço').replace(/è$/, 'en')}s`;
  },
  date: ({ day, month, year }) => {
    const name = MONTHS[month - 1]!;
    const of = /^[ao]/.test(name) ? "d'" : 'de ';
    return `${cardinal(day)} ${of}${name}${year === undefined ? '' : ` de ${cardinal(year)}`}`;
  },
  time: ({ hour, minute }) => {
    const hours = cardinal(hour, 'f');
    if (minute === 0) return `${hours} ${hour === 1 ? 'hora' : 'hores'}`;
    return `${hours} ${minute < 10 ? 'zero ' : ''}${cardinal(minute)}`;
  },
};
