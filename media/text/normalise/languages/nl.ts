import { toCardinal, toOrdinal } from 'n2words/nl-NL';
import type { SpokenForm } from '../../aligned-text.js';
import { currencies, type Grammar, letterNames, noun } from '../rules/grammar.js';

const MONTHS =
  'januari februari maart april mei juni juli augustus september oktober november december'.split(
    ' ',
  );

function cardinal(value: number): string {
  return value === 0 ? 'nul' : toCardinal(value);
}

/** Years are said in hundreds (Source: CLDR rbnf/nl.xml, spellout-numbering-year). */
function yearInWords(value: number): string {
  const hundreds = Math.floor(value / 100);
  if (hundreds < 11 || hundreds > 19) return cardinal(value);
  return `${cardinal(hundreds)}honderd${value % 100 ? cardinal(value % 100) : ''}`.replace(
    'één',
    'een',
  );
}

const ORDINAL: SpokenForm = {
  pattern: /(?<![\p{L}\d.,])([1-9]\d{0,3})(?:e|de|ste)(?!\p{L})/gu,
  say: ([, digits]) => toOrdinal(Number(digits)).replace(/d (?=\p{L})/u, 'd'),
};

const PARTS: Readonly<Record<number, string>> = {
  3: 'derde',
  4: 'vierde',
  5: 'vijfde',
  6: 'zesde',
  7: 'zevende',
  8: 'achtste',
  9: 'negende',
  10: 'tiende',
};

/** Dutch (Source: Taalunie, Taaladvies; Onze Taal; CLDR rbnf/nl.xml). */
export const DUTCH: Grammar = {
  language: 'nl',
  words: {
    minus: 'min',
    plus: 'plus',
    times: 'keer',
    equals: 'is',
    over: 'gedeeld door',
    to: 'tot',
    comma: 'komma',
    point: 'punt',
    and: 'en',
    number: 'nummer',
    paragraph: 'paragraaf',
  },
  pairsDecimals: false,
  months: MONTHS,
  shortMonths: 'jan feb mrt apr mei jun jul aug sep|sept okt nov dec'.split(' '),
  clock: { suffixes: ['uur', 'u', 'h'], prefixes: [], hasHourLetter: false },
  money: {
    currencies: currencies([
      '€ EUR euro = m euro = m cent',
      '$ US$ USD = m dollar = m cent',
      '£ GBP = n pond = m penny|pence',
      'CHF = m frank = m rappen',
      '¥ JPY = m yen',
    ]),
    join: ' ',
    // Source: num2words, tests/test_nl.py, test_to_currency_eur.
    namesParts: 'below-ten',
    of: '',
  },
  scales: new Map([
    ['mln.', noun('miljoen')],
    ['mln', noun('miljoen')],
    ['miljoen', noun('miljoen')],
    ['mld.', noun('miljard')],
    ['mld', noun('miljard')],
    ['miljard', noun('miljard')],
  ]),
  unitSigns: { 'km/u': 'kilometer-per-hour', u: 'hour' },
  moreUnits: {
    'm²': noun('vierkante meter'),
    'km²': noun('vierkante kilometer'),
    'm³': noun('kubieke meter'),
    kWh: noun('kilowattuur'),
    kW: noun('kilowatt'),
    W: noun('watt'),
    V: noun('volt'),
    MHz: noun('megahertz'),
    GHz: noun('gigahertz'),
    t: noun('ton'),
    mg: noun('milligram'),
  },
  letters: letterNames(
    'a:aa b:bee c:cee d:dee e:ee f:ef g:gee h:haa i:ie j:jee k:kaa l:el m:em n:en o:oo p:pee q:kuu r:er s:es t:tee u:uu v:vee w:wee x:iks y:ypsilon z:zet',
  ),
  abbreviations: {
    'dhr.': 'de heer',
    'mevr.': 'mevrouw',
    'mw.': 'mevrouw',
    'dr.': 'dokter',
    'drs.': 'doctorandus',
    'ir.': 'ingenieur',
    'ing.': 'ingenieur',
    'prof.': 'professor',
    'mr.': 'meester',
    'ds.': 'dominee',
    'bijv.': 'bijvoorbeeld',
    'bv.': 'bijvoorbeeld',
    'd.w.z.': 'dat wil zeggen',
    'o.a.': 'onder andere',
    'm.b.t.': 'met betrekking tot',
    'i.p.v.': 'in plaats van',
    't.a.v.': 'ter attentie van',
    'z.s.m.': 'zo spoedig mogelijk',
    'a.u.b.': 'alstublieft',
    'e.d.': 'en dergelijke',
    'enz.': 'enzovoort',
    'etc.': 'et cetera',
    'nr.': 'nummer',
    'tel.': 'telefoon',
    'ca.': 'circa',
    'fig.': 'figuur',
    'blz.': 'bladzijde',
    'p.#': 'pagina',
    'resp.': 'respectievelijk',
    'incl.': 'inclusief',
    'excl.': 'exclusief',
    'max.': 'maximaal',
    'min.': 'minimaal',
    'jl.': 'jongstleden',
    'St.': 'Sint',
  },
  acronyms: [
    'EU',
    'VS',
    'ANWB',
    'USA',
    'IBAN:Iban',
    'OV',
    'WOZ',
    'AOW',
    'UWV',
    'KLM',
    'ING',
    'ABN',
  ],
  phones: [/(?<![\p{L}\d.,+-])06-?\d{8}(?!\d)/gu],
  pairsPhones: false,
  own: [ORDINAL],
  cardinal,
  year: yearInWords,
  fraction: (over, under) => {
    if (under === 2) return over === 1 ? 'een half' : undefined;
    const part = PARTS[under];
    return part && `${over === 1 ? 'een' : cardinal(over)} ${part}`;
  },
  date: ({ day, month, year }) => {
    const words = [cardinal(day), MONTHS[month - 1]];
    if (year !== undefined) words.push(yearInWords(year));
    return words.join(' ');
  },
  time: ({ hour, minute }) => `${cardinal(hour)} uur${minute > 0 ? ` ${cardinal(minute)}` : ''}`,
};
