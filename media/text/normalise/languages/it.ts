import { toCardinal, toOrdinal } from 'n2words/it-IT';
import type { SpokenForm } from '../../aligned-text.js';
import { currencies, type Gender, type Grammar, letterNames, noun } from '../rules/grammar.js';
import { inScales, ROMAN_NUMERAL, romanValue } from '../rules/spelled-scales.js';

const MONTHS =
  'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre'.split(
    ' ',
  );

/** Below a million in one word (Source: CLDR rbnf/it.xml; Treccani, numerali). */
function below1e6(value: number): string {
  const [thousands, rest] = [Math.floor(value / 1000), value % 1000];
  if (thousands === 0) return value === 0 ? 'zero' : toCardinal(value);
  const head = thousands === 1 ? 'mille' : `${toCardinal(thousands).replace(/tré$/, 'tre')}mila`;
  return rest === 0 ? head : head + toCardinal(rest);
}

function cardinal(value: number, gender?: Gender): string {
  if (value === 1 && gender) return gender === 'f' ? 'una' : 'un';
  const scale = (of: number, one: string, many: string) => ({
    of,
    say: (n: number) => (n === 1 ? `un ${one}` : `${below1e6(n)} ${many}`),
  });
  const words = inScales(
    value,
    [
      scale(1e12, 'bilione', 'bilioni'),
      scale(1e9, 'miliardo', 'miliardi'),
      scale(1e6, 'milione', 'milioni'),
    ],
    below1e6,
  ).join(' ');
  return words.replace(/(?<=\p{L})tre$/u, 'tré');
}

const NO_NOUN =
  /^(?:di|e|o|a|ed|con|per|che|in|il|la|lo|le|gli|da|dal|al|del|più|meno|è|sono|su|non)$/;

function genderOf(word: string): Gender | undefined {
  const small = word.toLowerCase();
  if (NO_NOUN.test(small)) return undefined;
  return /(?:a|ione|tà|notte)$/.test(small) ? 'f' : 'm';
}

const ORDINALS: readonly SpokenForm[] = [
  {
    pattern: /(?<![\p{L}\d.,])([1-9]\d{0,3})\.?([º°ªoa])(?![\p{L}CF]| ?[CF](?!\p{L}))/gu,
    say: ([, digits, sign = '']) => {
      const ordinal = toOrdinal(Number(digits));
      return sign === 'ª' || sign === 'a' ? ordinal.replace(/o$/, 'a') : ordinal;
    },
  },
  {
    pattern: new RegExp(`(?<!\\p{L})${ROMAN_NUMERAL}(?= secol[oi]| capitolo)`, 'gu'),
    say: ([numeral]) => (numeral ? toOrdinal(romanValue(numeral)) : undefined),
  },
  {
    pattern: new RegExp(`(?<=(?:secolo|capitolo) )${ROMAN_NUMERAL}`, 'gu'),
    say: ([numeral]) => (numeral ? toOrdinal(romanValue(numeral)) : undefined),
  },
];

const PARTS: Readonly<Record<number, string>> = {
  2: 'mezzo',
  3: 'terzo',
  4: 'quarto',
  5: 'quinto',
  6: 'sesto',
  7: 'settimo',
  8: 'ottavo',
  9: 'nono',
  10: 'decimo',
};

/** Italian (Source: Accademia della Crusca; Treccani, La grammatica italiana; CLDR rbnf/it.xml). */
export const ITALIAN: Grammar = {
  language: 'it',
  words: {
    minus: 'meno',
    plus: 'più',
    times: 'per',
    equals: 'uguale',
    over: 'fratto',
    to: 'a',
    comma: 'virgola',
    point: 'punto',
    and: 'e',
    number: 'numero',
    paragraph: 'paragrafo',
  },
  pairsDecimals: true,
  months: MONTHS,
  shortMonths: 'gen feb mar apr mag giu lug ago set|sett ott nov dic'.split(' '),
  clock: {
    suffixes: ['h'],
    prefixes: ['alle', 'dalle', 'le', 'ore', 'Alle', 'Dalle', 'Ore'],
    hasHourLetter: true,
  },
  money: {
    currencies: currencies([
      '€ EUR euro = m euro = m centesimo|centesimi',
      '$ US$ USD = m dollaro|dollari = m centesimo|centesimi',
      '£ GBP = f sterlina|sterline = m penny|pence',
      'CHF = m franco|franchi = m centesimo|centesimi',
      '¥ JPY = m yen',
    ]),
    join: ' e ',
    namesParts: true,
    of: 'di ',
  },
  scales: new Map([
    ['milioni', noun('milione|milioni')],
    ['milione', noun('milione|milioni')],
    ['mln', noun('milione|milioni')],
    ['miliardi', noun('miliardo|miliardi')],
    ['mld', noun('miliardo|miliardi')],
  ]),
  unitSigns: {},
  moreUnits: {
    'm²': noun('metro quadrato|metri quadrati'),
    mq: noun('metro quadrato|metri quadrati'),
    'km²': noun('chilometro quadrato|chilometri quadrati'),
    'm³': noun('metro cubo|metri cubi'),
    kWh: noun('chilowattora'),
    kW: noun('chilowatt'),
    W: noun('watt'),
    V: noun('volt'),
    MHz: noun('megahertz'),
    GHz: noun('gigahertz'),
    t: noun('tonnellata|tonnellate', 'f'),
    mg: noun('milligrammo|milligrammi'),
  },
  letters: letterNames(
    'a:a b:bi c:ci d:di e:e f:effe g:gi h:acca i:i j:i_lunga k:cappa l:elle m:emme n:enne o:o p:pi q:cu r:erre s:esse t:ti u:u v:vu w:vu_doppia x:ics y:ipsilon z:zeta',
  ),
  abbreviations: {
    'sig.': 'signor',
    'sig.ra': 'signora',
    'sig.na': 'signorina',
    'avv.': 'avvocato',
    'dip.': 'dipartimento',
    'p.za': 'piazza',
    'Sig.': 'signor',
    'Sig.ra': 'signora',
    'Sig.na': 'signorina',
    'Sigg.': 'signori',
    'Dott.': 'dottor',
    'Dr.': 'dottor',
    'Dott.ssa': 'dottoressa',
    'Prof.': 'professor',
    'Prof.ssa': 'professoressa',
    'Avv.': 'avvocato',
    'Ing.': 'ingegner',
    'Arch.': 'architetto',
    'Geom.': 'geometra',
    'Rag.': 'ragionier',
    'On.': 'onorevole',
    'p.es.': 'per esempio',
    'es.': 'esempio',
    'ecc.': 'eccetera',
    'etc.': 'eccetera',
    'tel.': 'telefono',
    'pag.': 'pagina',
    'n.#': 'numero',
    'nr.': 'numero',
    'art.': 'articolo',
    'cap.': 'capitolo',
    'P.za': 'piazza',
    'V.le': 'viale',
    'ca.': 'circa',
    'max.': 'massimo',
    'min.': 'minimo',
    'S.p.A.': 'società per azioni',
    'S.r.l.': 'società a responsabilità limitata',
    'vol.#': 'volume',
  },
  acronyms: ['UE', 'USA:Usa', 'IBAN:Iban', 'CEO'],
  phones: [
    /(?<![\p{L}\d.,+-])3\d{2} \d{3} \d{4}(?![\d-]|[.,]\d)/gu,
    /(?<![\p{L}\d.,+-])800[ -]\d{3}[ -]\d{3}(?![\d-]|[.,]\d)/gu,
  ],
  pairsPhones: false,
  own: ORDINALS,
  cardinal,
  half: { behind: [' e mezzo', ' e mezza'], alone: ['mezzo', 'mezza'] },
  genderOf,
  fraction: (over, under) => {
    const part = PARTS[under];
    return part && `${cardinal(over, 'm')} ${over === 1 ? part : part.replace(/o$/, 'i')}`;
  },
  date: ({ day, month, year }) => {
    const words = [day === 1 ? 'primo' : cardinal(day), MONTHS[month - 1]];
    if (year !== undefined) words.push(cardinal(year));
    return words.join(' ');
  },
  time: ({ hour, minute }) => {
    const hours = hour === 1 ? 'una' : cardinal(hour);
    return minute > 0 ? `${hours} e ${cardinal(minute)}` : hours;
  },
};
