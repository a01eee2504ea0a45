import { toCardinal, toOrdinal } from 'n2words/fr-FR';
import type { SpokenForm } from '../../aligned-text.js';
import { currencies, type Gender, type Grammar, letterNames, noun } from '../rules/grammar.js';
import { romanValue } from '../rules/spelled-scales.js';

const MONTHS =
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ');

function cardinal(value: number, gender?: Gender): string {
  const words = value === 0 ? 'zéro' : toCardinal(value);
  return gender === 'f' ? words.replace(/(^|[ -])un$/, '$1une') : words;
}

/** Feminine nouns that are counted often: only "un" and "une" tell the difference. */
const FEMININE =
  /^(?:pages?|heures?|minutes?|secondes?|personnes?|fois|semaines?|années?|journées?|chambres?|places?|tables?|nuits?|voitures?|questions?|lignes?|étoiles?|pièces?|parts?|couronnes?|tonnes?|onces?|tasses?|bouteilles?|boîtes?|chaises?|filles?|femmes?|maisons?|portes?|rues?|villes?|langues?|lettres?|commandes?|réponses?|photos?|cartes?|livres sterling)$/;

function genderOf(word: string): Gender {
  return FEMININE.test(word.toLowerCase()) ? 'f' : 'm';
}

function ordinal(value: number, ending: string): string {
  const isFeminine = /^(?:re|ère|de|nde)/.test(ending);
  if (value === 1) return isFeminine ? 'première' : 'premier';
  if (/^n?de?$/.test(ending)) return isFeminine ? 'seconde' : 'second';
  return toOrdinal(value);
}

const ORDINALS: readonly SpokenForm[] = [
  {
    pattern: /(?<![\p{L}\d.,])([1-9]\d{0,3})(er|re|ère|ème|eme|è|e|nde|nd)(s?)(?!\p{L})/gu,
    say: ([, digits, ending = '', plural = '']) => ordinal(Number(digits), ending) + plural,
  },
  {
    // XXIe; of one letter ("Ve", "Ce") only before what is counted so
    pattern:
      /(?<!\p{L})([IVX]{2,7}|[IVX](?=(?:e|er) (?:siècle|République|arrondissement|dynastie|congrès)))(ers?|ères?|res?|èmes?|es?)(?!\p{L})/gu,
    say: ([, numeral = '', ending = '']) => ordinal(romanValue(numeral), ending),
  },
];

const PARTS: Readonly<Record<number, string>> = {
  2: 'demi',
  3: 'tiers',
  4: 'quart',
  5: 'cinquième',
  6: 'sixième',
  7: 'septième',
  8: 'huitième',
  9: 'neuvième',
  10: 'dixième',
};

/** French (Source: OQLF, Banque de dépannage linguistique; CLDR rbnf/fr.xml). */
export const FRENCH: Grammar = {
  language: 'fr',
  words: {
    minus: 'moins',
    plus: 'plus',
    times: 'fois',
    equals: 'égale',
    over: 'sur',
    to: 'à',
    comma: 'virgule',
    point: 'point',
    and: 'et',
    number: 'numéro',
    paragraph: 'paragraphe',
  },
  pairsDecimals: true,
  months: MONTHS,
  shortMonths: 'janv févr mars avr mai juin juil août sept oct nov déc'.split(' '),
  clock: { suffixes: ['h', 'heures'], prefixes: [], hasHourLetter: true },
  money: {
    currencies: currencies([
      '€ EUR euros euro = m euro|euros = m centime|centimes',
      '$ US$ USD = m dollar|dollars = m cent|cents',
      '£ GBP = f livre|livres = m penny|pence',
      'CHF FS = m franc|francs = m centime|centimes',
      '¥ JPY = m yen|yens',
    ]),
    join: ' ',
    namesParts: false,
    of: "d'",
  },
  scales: new Map([
    ['M', noun('million|millions')],
    ['million', noun('million|millions')],
    ['millions', noun('million|millions')],
    ['milliard', noun('milliard|milliards')],
    ['milliards', noun('milliard|milliards')],
    ['Md', noun('milliard|milliards')],
  ]),
  unitSigns: {
    s: 'second',
    mn: 'minute',
    Mo: 'megabyte',
    Go: 'gigabyte',
    ko: 'kilobyte',
    To: 'terabyte',
  },
  moreUnits: {
    'm²': noun('mètre carré|mètres carrés'),
    'km²': noun('kilomètre carré|kilomètres carrés'),
    'm³': noun('mètre cube|mètres cubes'),
    kWh: noun('kilowattheure|kilowattheures'),
    kW: noun('kilowatt|kilowatts'),
    W: noun('watt|watts'),
    V: noun('volt|volts'),
    MHz: noun('mégahertz'),
    GHz: noun('gigahertz'),
    t: noun('tonne|tonnes', 'f'),
    mg: noun('milligramme|milligrammes'),
  },
  letters: letterNames(
    'a:a b:bé c:cé d:dé e:e f:effe g:gé h:hache i:i j:ji k:ka l:elle m:emme n:enne o:o p:pé q:ku r:erre s:esse t:té u:u v:vé w:double_vé x:ixe y:i_grec z:zède é:é_accent_aigu è:è_accent_grave ç:cé_cédille',
  ),
  abbreviations: {
    'M.': 'Monsieur',
    'MM.': 'Messieurs',
    Mme: 'Madame',
    'Mme.': 'Madame',
    Mmes: 'Mesdames',
    Mlle: 'Mademoiselle',
    'Mlle.': 'Mademoiselle',
    Dr: 'Docteur',
    'Dr.': 'Docteur',
    Pr: 'Professeur',
    'Pr.': 'Professeur',
    Me: 'Maître',
    'St.': 'Saint',
    'Ste.': 'Sainte',
    'p.ex.': 'par exemple',
    'c.-à-d.': "c'est-à-dire",
    'etc.': 'et cetera',
    'av.': 'avenue',
    'bd.': 'boulevard',
    bd: 'boulevard',
    'boul.': 'boulevard',
    'tél.': 'téléphone',
    'n°': 'numéro',
    nº: 'numéro',
    'no#': 'numéro ',
    'vol.#': 'volume',
    'art.': 'article',
    'chap.': 'chapitre',
    'p.#': 'page',
    'pp.#': 'pages',
    'env.': 'environ',
    'max.': 'maximum',
    'min.': 'minimum',
    'cf.': 'confer',
    'J.-C.': 'Jésus-Christ',
  },
  acronyms: [
    'UE',
    'USA',
    'RATP',
    'TVA',
    'ADN',
    'OVNI:ovni',
    'EDF',
    'IBAN:Iban',
    'CNIL:cnil',
    'RER',
  ],
  phones: [/(?<![\p{L}\d.,+-])0 ?8\d{2}(?: \d{2,3}){2,3}(?![\d-]|[.,]\d)/gu],
  pairsPhones: true,
  own: ORDINALS,
  cardinal,
  half: { behind: [' et demi', ' et demie'], alone: ['un demi', 'une demi'] },
  genderOf,
  fraction: (over, under) => {
    const part = PARTS[under];
    const isPlural = over > 1 && !part?.endsWith('s');
    return part && `${cardinal(over)} ${part}${isPlural ? 's' : ''}`;
  },
  date: ({ day, month, year }) => {
    const words = [day === 1 ? 'premier' : cardinal(day), MONTHS[month - 1]];
    if (year !== undefined) words.push(cardinal(year));
    return words.join(' ');
  },
  time: ({ hour, minute }) => {
    const hours = `${cardinal(hour, 'f')} heure${hour > 1 ? 's' : ''}`;
    return minute > 0 ? `${hours} ${cardinal(minute)}` : hours;
  },
};
