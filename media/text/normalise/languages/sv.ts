import type { SpokenForm } from '../../aligned-text.js';
import { currencies, type Gender, type Grammar, letterNames, noun } from '../rules/grammar.js';
import { inScales } from '../rules/spelled-scales.js';

const SMALL =
  'noll ett två tre fyra fem sex sju åtta nio tio elva tolv tretton fjorton femton sexton sjutton arton nitton'.split(
    ' ',
  );
const TENS = '  tjugo trettio fyrtio femtio sextio sjuttio åttio nittio'.split(' ');
const ORDINALS =
  'nollte första andra tredje fjärde femte sjätte sjunde åttonde nionde tionde elfte tolfte'.split(
    ' ',
  );
const MONTHS =
  'januari februari mars april maj juni juli augusti september oktober november december'.split(
    ' ',
  );

/** One word below a thousand (Source: CLDR rbnf/sv.xml, spellout-numbering). */
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
      // "ettusen" has lost a t
      { of: 1000, say: (n) => (n === 1 ? 'tusen' : `${below1000(n).replace(/ett$/, 'et')}tusen`) },
    ],
    (rest) => below1000(rest, gender),
  ).join(' ');
}

/** Source: CLDR rbnf/sv.xml, spellout-ordinal-neutre. */
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

/** Years are said in hundreds (Source: CLDR rbnf/sv.xml, spellout-numbering-year). */
function yearInWords(value: number): string {
  const hundreds = Math.floor(value / 100);
  if (hundreds < 11 || hundreds > 20) return cardinal(value);
  return `${below1000(hundreds)}hundra${value % 100 ? below1000(value % 100) : ''}`;
}

/** Neuter nouns that are counted often, and endings that make one. */
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

const PARTS: Readonly<Record<number, string>> = {
  3: 'tredjedel',
  4: 'fjärdedel',
  5: 'femtedel',
  6: 'sjättedel',
  7: 'sjundedel',
  8: 'åttondel',
  9: 'niondel',
  10: 'tiondel',
};

/** Swedish (Source: Isof, Frågelådan; Myndigheternas skrivregler; CLDR rbnf/sv.xml). */
export const SWEDISH: Grammar = {
  language: 'sv',
  words: {
    minus: 'minus',
    plus: 'plus',
    times: 'gånger',
    equals: 'är lika med',
    over: 'delat med',
    to: 'till',
    comma: 'komma',
    point: 'punkt',
    and: 'och',
    number: 'nummer',
    paragraph: 'paragraf',
  },
  pairsDecimals: false,
  months: MONTHS,
  shortMonths: 'jan feb mar apr  jun jul aug sep|sept okt nov dec'.split(' '),
  clock: {
    suffixes: [],
    prefixes: ['kl.', 'kl', 'klockan', 'Kl.', 'Klockan'],
    hasHourLetter: false,
  },
  money: {
    currencies: currencies([
      'kr kr. SEK kronor = f krona|kronor = n öre',
      '€ EUR euro = f euro = m cent',
      '$ US$ USD = f dollar = m cent',
      '£ GBP = n pund = m penny|pence',
      'CHF = f franc = m rappen',
      '¥ JPY = m yen',
    ]),
    join: ' och ',
    namesParts: true,
    of: '',
  },
  scales: new Map([
    ['milj.', noun('miljon|miljoner')],
    ['mn', noun('miljon|miljoner')],
    ['miljoner', noun('miljon|miljoner')],
    ['miljon', noun('miljon|miljoner')],
    ['mdr', noun('miljard|miljarder')],
    ['md', noun('miljard|miljarder')],
    ['miljard', noun('miljard|miljarder')],
    ['biljoner', noun('biljon|biljoner')],
    ['biljon', noun('biljon|biljoner')],
    ['miljarder', noun('miljard|miljarder')],
    ['tkr', noun('tusen kronor')],
  ]),
  unitSigns: { tim: 'hour' },
  moreUnits: {
    'm²': noun('kvadratmeter'),
    kvm: noun('kvadratmeter'),
    'km²': noun('kvadratkilometer'),
    'm³': noun('kubikmeter'),
    kWh: noun('kilowattimme|kilowattimmar'),
    kW: noun('kilowatt'),
    W: noun('watt'),
    V: noun('volt'),
    MHz: noun('megahertz'),
    GHz: noun('gigahertz'),
    t: noun('ton', 'n'),
    mg: noun('milligram', 'n'),
    st: noun('stycken'),
  },
  letters: letterNames(
    'a:a b:be c:ce d:de e:e f:eff g:ge h:hå i:i j:ji k:kå l:ell m:em n:en o:o p:pe q:ku r:ärr s:ess t:te u:u v:ve w:dubbel-ve x:eks y:y z:säta å:å ä:ä ö:ö',
  ),
  abbreviations: {
    't.ex.': 'till exempel',
    'bl.a.': 'bland annat',
    'dvs.': 'det vill säga',
    'd.v.s.': 'det vill säga',
    's.k.': 'så kallad',
    'fr.o.m.': 'från och med',
    't.o.m.': 'till och med',
    'm.a.o.': 'med andra ord',
    'm.m.': 'med mera',
    'm.fl.': 'med flera',
    'o.s.v.': 'och så vidare',
    'osv.': 'och så vidare',
    'etc.': 'et cetera',
    'o.d.': 'och dylikt',
    'p.g.a.': 'på grund av',
    'i st.f.': 'i stället för',
    'kl.': 'klockan',
    'nr#': 'nummer ',
    'nr.': 'nummer',
    'tel.': 'telefon',
    ca: 'cirka',
    'ca.': 'cirka',
    'resp.': 'respektive',
    'prof.': 'professor',
    'dr.': 'doktor',
    'fig.': 'figur',
    jfr: 'jämför',
    's.#': 'sidan',
    'f.m.': 'förmiddagen',
    'e.m.': 'eftermiddagen',
    'f.Kr.': 'före Kristus',
    'e.Kr.': 'efter Kristus',
    'tfn.': 'telefon',
    tfn: 'telefon',
    'ankn.': 'anknytning',
    's:t': 'sankt',
    's:ta': 'sankta',
    'kap.': 'kapitel',
    'inkl.': 'inklusive',
    'exkl.': 'exklusive',
    'max.': 'maximalt',
    'min.': 'minst',
  },
  acronyms: ['EU', 'USA', 'IBAN:Iban', 'ICA:Ica', 'SEB', 'TV', 'SAS', 'LO'],
  phones: [/(?<![\p{L}\d.,+-])0\d{1,3}-\d{2,3}(?: \d{2,3}){1,3}(?![\d-]|[.,]\d)/gu],
  pairsPhones: false,
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
    const part = PARTS[under];
    return part && `${cardinal(over, 'f')} ${part}${over === 1 ? '' : 'ar'}`;
  },
  date: ({ day, month, year }) => {
    const words = [ordinal(day), MONTHS[month - 1]];
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
