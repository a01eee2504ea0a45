import { toCardinal, toOrdinal } from 'n2words/de-DE';
import type { SpokenForm } from '../../aligned-text.js';
import { currencies, type Gender, type Grammar, letterNames, noun } from '../rules/grammar.js';
import { contextOf } from '../rules/number-text.js';

const MONTHS =
  'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' ');

function cardinal(value: number, gender?: Gender): string {
  if (value === 0) return 'null';
  if (value === 1 && gender) return gender === 'f' ? 'eine' : 'ein';
  return toCardinal(value);
}

/** Years are said in hundreds (Source: CLDR rbnf/de.xml, spellout-numbering-year). */
function yearInWords(value: number): string {
  const hundreds = Math.floor(value / 100);
  if (hundreds < 11 || hundreds > 19) return cardinal(value);
  return `${cardinal(hundreds)}hundert${value % 100 ? cardinal(value % 100) : ''}`;
}

const WEAK_N =
  /(?:^|[^\p{L}])(?:am|dem|den|des|im|vom|zum|zur|beim|ab|seit|bis|nach|einem|einen|eines|einer|ihrem|seinem) $/iu;
const WEAK_E = /(?:^|[^\p{L}])(?:der|die|das|eine|diese[rs]?|jede[rs]?) $/iu;

/** The ordinal with the ending that the word before it asks for. */
function ordinalBehind(before: string, value: number): string {
  const stem = toOrdinal(value);
  if (WEAK_N.test(before)) return `${stem}n`;
  return WEAK_E.test(before) ? stem : `${stem}r`;
}

const DAYS = 'Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag'.split(' ');
const DAY = 'Mo|Di|Mi|Do|Fr|Sa|So';

function dayOf(short: string): string {
  return DAYS.find((day) => day.startsWith(short)) ?? short;
}

const ORDINALS: readonly SpokenForm[] = [
  {
    // am 3.5.
    pattern: /(?<![\p{L}\d.,])(\d{1,2})\.(\d{1,2})\.(?!\d)/gu,
    say: (match) => {
      const [day, month] = [Number(match[1]), Number(match[2])];
      if (day < 1 || day > 31 || month < 1 || month > 12) return undefined;
      return `${ordinalBehind(contextOf(match).before, day)} ${MONTHS[month - 1]}`;
    },
  },
  {
    // die 1990er
    pattern: /(?<![\p{L}\d.,])(\d{2,4})er(?!\p{L})/gu,
    say: ([, digits = '']) => `${yearInWords(Number(digits))}er`,
  },
  {
    pattern: new RegExp(`(?<!\\p{L})(${DAY})\\.?\\s?[-–]\\s?(${DAY})\\b\\.?(?!\\p{L})`, 'gu'),
    say: ([, from = '', to = '']) => `${dayOf(from)} bis ${dayOf(to)}`,
  },
  {
    // im 2. Stock
    pattern:
      /(?<=(?:^|[^\p{L}])(?:am|dem|den|des|im|vom|zum|zur|beim|der|die|das|eine[mnrs]?|ein|jede[mnrs]?|diese[mnrs]?) )([1-9]\d{0,2})\.(?= \p{Lu})/giu,
    say: (match) => ordinalBehind(contextOf(match).before, Number(match[1])),
  },
];

const PARTS: Readonly<Record<number, string>> = {
  3: 'Drittel',
  4: 'Viertel',
  5: 'Fünftel',
  6: 'Sechstel',
  7: 'Siebtel',
  8: 'Achtel',
  9: 'Neuntel',
};

/** "-tel" below twenty, "-stel" from there on (Source: CLDR rbnf/de.xml; Duden, Bruchzahlen). */
function partOf(under: number): string | undefined {
  const known = PARTS[under];
  if (known !== undefined || under < 2 || under > 1000) return known;
  const words =
    under === 100 || under === 1000 ? cardinal(under).replace(/^ein/, '') : cardinal(under);
  return words.charAt(0).toUpperCase() + words.slice(1) + (under < 20 ? 'tel' : 'stel');
}

/** German (Source: Duden on numbers, dates and times; CLDR rbnf/de.xml). */
export const GERMAN: Grammar = {
  language: 'de',
  words: {
    minus: 'minus',
    plus: 'plus',
    times: 'mal',
    equals: 'gleich',
    over: 'durch',
    to: 'bis',
    comma: 'Komma',
    point: 'Punkt',
    and: 'und',
    number: 'Nummer',
    paragraph: 'Paragraf',
  },
  pairsDecimals: false,
  months: MONTHS,
  shortMonths: 'Jan Feb|Febr Mär|Mrz Apr Mai Jun Jul Aug Sep|Sept Okt Nov Dez'.split(' '),
  clock: { suffixes: ['Uhr', 'h'], prefixes: [], hasHourLetter: false },
  money: {
    currencies: currencies([
      '€ EUR Euro = m Euro = m Cent',
      '$ US$ USD = m Dollar = m Cent',
      '£ GBP = n Pfund = m Penny|Pence',
      'CHF SFr. Fr. = m Franken = m Rappen',
      '¥ JPY = m Yen',
      'kr = f Krone|Kronen = n Öre',
    ]),
    join: ' ',
    namesParts: false,
    of: '',
  },
  scales: new Map([
    ['Tsd.', noun('tausend', 'm')],
    ['Mio.', noun('Million|Millionen', 'f')],
    ['Mio', noun('Million|Millionen', 'f')],
    ['Mrd.', noun('Milliarde|Milliarden', 'f')],
    ['Mrd', noun('Milliarde|Milliarden', 'f')],
    ['Millionen', noun('Millionen', 'f')],
    ['Milliarden', noun('Milliarden', 'f')],
    ['Billionen', noun('Billion|Billionen', 'f')],
    ['Billion', noun('Billion|Billionen', 'f')],
  ]),
  unitSigns: { Std: 'hour', 'Std.': 'hour', 'Min.': 'minute', 'Sek.': 'second' },
  moreUnits: {
    'm²': noun('Quadratmeter'),
    qm: noun('Quadratmeter'),
    'km²': noun('Quadratkilometer'),
    'm³': noun('Kubikmeter'),
    kWh: noun('Kilowattstunde|Kilowattstunden', 'f'),
    kW: noun('Kilowatt'),
    W: noun('Watt'),
    V: noun('Volt'),
    MHz: noun('Megahertz'),
    GHz: noun('Gigahertz'),
    t: noun('Tonne|Tonnen', 'f'),
    mg: noun('Milligramm'),
  },
  letters: letterNames(
    'a:a b:be c:ce d:de e:e f:ef g:ge h:ha i:i j:jot k:ka l:el m:em n:en o:o p:pe q:ku r:er s:es t:te u:u v:vau w:we x:ix y:ypsilon z:zett ä:ä ö:ö ü:ü ß:eszett',
  ),
  abbreviations: {
    'z.B.': 'zum Beispiel',
    'z.Bsp.': 'zum Beispiel',
    'd.h.': 'das heißt',
    'u.a.': 'unter anderem',
    'u.U.': 'unter Umständen',
    'i.d.R.': 'in der Regel',
    'o.ä.': 'oder ähnlich',
    's.o.': 'siehe oben',
    's.u.': 'siehe unten',
    'v.a.': 'vor allem',
    'u.s.w.': 'und so weiter',
    'usw.': 'und so weiter',
    'etc.': 'et cetera',
    'bzw.': 'beziehungsweise',
    'ca.': 'circa',
    'vgl.': 'vergleiche',
    'ggf.': 'gegebenenfalls',
    'MwSt.': 'Mehrwertsteuer',
    'evtl.': 'eventuell',
    'inkl.': 'inklusive',
    'exkl.': 'exklusive',
    'zzgl.': 'zuzüglich',
    'sog.': 'sogenannt',
    'max.': 'maximal',
    'min.': 'mindestens',
    'Dr.': 'Doktor',
    'Prof.': 'Professor',
    'Hr.': 'Herr',
    'Fr.': 'Frau',
    'Dipl.-Ing.': 'Diplomingenieur',
    'St.': 'Sankt',
    'Str.': 'Straße',
    'Hauptstr.': 'Hauptstraße',
    'Nr.': 'Nummer',
    'Nr#': 'Nummer ',
    'Tel.': 'Telefon',
    'Abs.': 'Absatz',
    'Art.#': 'Artikel',
    'Kap.': 'Kapitel',
    'Bd.#': 'Band',
    'S.#': 'Seite',
    'geb.': 'geboren',
    'Mo.': 'Montag',
    'Di.': 'Dienstag',
    'Mi.': 'Mittwoch',
    'Do.': 'Donnerstag',
    'Sa.': 'Samstag',
    'So.': 'Sonntag',
  },
  acronyms: [
    'USA',
    'EU',
    'UKW',
    'EDV',
    'PLZ',
    'IBAN:Iban',
    'AGB',
    'EZB',
    'ICE',
    'UN',
    'IT',
    'AOK',
    'ARD',
  ],
  phones: [],
  pairsPhones: false,
  own: [
    ...ORDINALS,
    { pattern: /(?<=\p{Ll})str\.(?= ?\d|$|,)/gu, needs: 'str.', say: () => 'straße' },
  ],
  cardinal,
  half: { behind: ['einhalb', 'einhalb'], alone: ['ein halb', 'ein halb'] },
  year: (value, behind) => (/^ \p{Lu}\p{Ll}/u.test(behind) ? undefined : yearInWords(value)),
  genderOf: (word) => {
    if (!/^\p{Lu}/u.test(word)) return undefined;
    return /(?:e|ung|heit|keit|schaft|ion|tät|frau|tür|nacht|stadt)$/iu.test(word) ? 'f' : 'm';
  },
  fraction: (over, under) => {
    if (under === 2) return over === 1 ? 'ein halb' : undefined;
    const part = partOf(under);
    return part && `${cardinal(over, 'n')} ${part}`;
  },
  date: ({ day, month, year, before }) => {
    const words = [ordinalBehind(before, day), MONTHS[month - 1]];
    if (year !== undefined) words.push(yearInWords(year));
    return words.join(' ');
  },
  time: ({ hour, minute }) =>
    `${cardinal(hour, 'm')} Uhr${minute > 0 ? ` ${cardinal(minute)}` : ''}`,
};
