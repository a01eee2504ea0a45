import type { SpokenForm } from '../../aligned-text.js';
import { currencies, type Gender, type Grammar, letterNames, noun } from '../rules/grammar.js';
import { contextOf } from '../rules/number-text.js';
import { ROMAN_NUMERAL, romanValue } from '../rules/spelled-scales.js';
import { cardinal, genitive, type OrdinalForm, ordinal } from './ru-numbers.js';
import { LETTERS, SHORT_FORMS } from './ru-words.js';

const MONTHS =
  'января февраля марта апреля мая июня июля августа сентября октября ноября декабря'.split(' ');

/** Prepositions that take the genitive; "с 9 до 18". */
const GENITIVE =
  /(?:^|[^\p{L}])(?:от|до|из|без|для|около|после|более|менее|больше|меньше|не менее|не более|свыше|с|со|у) $/iu;
const FUNCTION_WORD =
  /^(?:и|или|в|на|по|от|до|из|с|со|за|к|о|не|но|а|что|как|это|для|при|из-за|минус|плюс|процент\p{L}*|запятая|точка)$/u;

/** By the ending that a noun has behind one and two (Source: Розенталь, § 164). */
function genderOf(word: string, value: number): Gender | undefined {
  const small = word.toLowerCase();
  if (FUNCTION_WORD.test(small) || !/^\p{Script=Cyrillic}/u.test(small)) return undefined;
  const last = value % 10;
  if (value % 100 > 10 && value % 100 < 15) return undefined;
  if (last === 1) {
    if (/[ая]$/.test(small)) return 'f';
    return /[ое]$/.test(small) ? 'n' : 'm';
  }
  return last === 2 && /[ыи]$/.test(small) ? 'f' : 'm';
}

/** "-й", "-го", "-я" behind a number. */
const WRITTEN_ENDINGS: Readonly<Record<string, OrdinalForm>> = {
  й: 'masculine',
  ый: 'masculine',
  ий: 'masculine',
  я: 'feminine',
  ая: 'feminine',
  е: 'neuter',
  ое: 'neuter',
  го: 'genitive',
  ого: 'genitive',
  му: 'dative',
  ому: 'dative',
  м: 'prepositional',
  ом: 'prepositional',
  ым: 'instrumental',
  ой: 'feminine-oblique',
  ю: 'accusative',
  ую: 'accusative',
  ые: 'plural',
  х: 'plural-genitive',
  ых: 'plural-genitive',
};

/** What "год" in its forms asks of the number. */
const YEARS: Readonly<Record<string, OrdinalForm>> = {
  год: 'masculine',
  года: 'genitive',
  году: 'prepositional',
  годом: 'instrumental',
  годе: 'prepositional',
  годы: 'plural',
  годов: 'plural-genitive',
};

const OWN: readonly SpokenForm[] = [
  {
    pattern: /(?<![\p{L}\d.,])(\d{3,4}) ?(год(?:а|у|ом|е|ы|ов)?|гг?\.)(?!\p{L})/gu,
    say: (match) => {
      const [, digits, word = ''] = match;
      if (word === 'гг.') return `${ordinal(Number(digits), 'plural')} годы`;
      if (word !== 'г.') return `${ordinal(Number(digits), YEARS[word] ?? 'masculine')} ${word}`;
      const isIn = /(?:^|[^\p{L}])(?:в|во|о) $/iu.test(contextOf(match).before);
      const [form, year] = isIn
        ? (['prepositional', 'году'] as const)
        : (['genitive', 'года'] as const);
      return `${ordinal(Number(digits), form)} ${year}`;
    },
  },
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\d.,])(\\d{1,4})-(${Object.keys(WRITTEN_ENDINGS)
        .sort((a, b) => b.length - a.length)
        .join('|')})(?!\\p{L})`,
      'gu',
    ),
    say: (match) => {
      const [, digits, ending = ''] = match;
      const form = WRITTEN_ENDINGS[ending];
      const value = Number(digits);
      // "4-х" is a cardinal (Source: Розенталь, § 165), "90-е" are years.
      if (ending === 'х' && value > 1 && value < 5) return genitive(value);
      const isDecade = value % 10 === 0 && (value > 1000 || (value < 100 && value > 10));
      const isPlural =
        ending === 'е' && (isDecade || /^ годы(?!\p{L})/u.test(contextOf(match).behind));
      return form && ordinal(value, isPlural ? 'plural' : form);
    },
  },
  {
    pattern: new RegExp(`(?<!\\p{L})${ROMAN_NUMERAL}(?= век(а|е|у)?(?!\\p{L}))`, 'gu'),
    say: ([numeral, ending]) => {
      const forms = { а: 'genitive', е: 'prepositional', у: 'dative' } as const;
      return ordinal(romanValue(numeral), forms[ending as keyof typeof forms] ?? 'masculine');
    },
  },
];

const DECIMAL_PARTS = ['', 'десят', 'сот', 'тысячн'];

/** "две целых пять десятых" (Source: Розенталь, дробные числительные). */
function decimal(whole: number, decimals: string): string | undefined {
  const part = DECIMAL_PARTS[decimals.length];
  if (!part || Number(decimals) === 0) return undefined;
  const ending = (value: number) => (value % 10 === 1 && value % 100 !== 11 ? 'ая' : 'ых');
  const wholes = ending(whole) === 'ая' ? 'целая' : 'целых';
  const over = Number(decimals);
  const head = whole === 0 ? 'ноль' : cardinal(whole, 'f');
  return `${head} ${wholes} ${cardinal(over, 'f')} ${part}${ending(over)}`;
}

/** Russian (Source: Розенталь, Справочник по правописанию; Грамота.ру; CLDR rbnf/ru.xml). */
export const RUSSIAN: Grammar = {
  language: 'ru',
  words: {
    minus: 'минус',
    plus: 'плюс',
    times: 'умножить на',
    equals: 'равно',
    over: 'дробь',
    to: '—',
    comma: 'запятая',
    point: 'точка',
    and: 'и',
    number: 'номер',
    paragraph: 'параграф',
  },
  pairsDecimals: true,
  months: MONTHS,
  shortMonths: 'янв фев|февр мар апр  июн июл авг сен|сент окт ноя|нояб дек'.split(' '),
  clock: { suffixes: [], prefixes: [], hasHourLetter: false },
  money: {
    currencies: currencies([
      '₽ руб. руб RUB р. = m рубль|рубля|рублей|рубля = f копейка|копейки|копеек|копейки',
      '$ USD долл. = m доллар|доллара|долларов|доллара = m цент|цента|центов|цента',
      '€ EUR евро = n евро = m цент|цента|центов|цента',
      '£ GBP = m фунт|фунта|фунтов|фунта = m пенни',
      '¥ JPY = f иена|иены|иен|иены',
    ]),
    join: ' ',
    namesParts: true,
    of: '',
  },
  scales: new Map([
    ['тыс', noun('тысяча|тысячи|тысяч|тысячи', 'f')],
    ['тыс.', noun('тысяча|тысячи|тысяч|тысячи', 'f')],
    ['млн', noun('миллион|миллиона|миллионов|миллиона')],
    ['млн.', noun('миллион|миллиона|миллионов|миллиона')],
    ['млрд', noun('миллиард|миллиарда|миллиардов|миллиарда')],
    ['млрд.', noun('миллиард|миллиарда|миллиардов|миллиарда')],
  ]),
  unitSigns: {
    км: 'kilometer',
    м: 'meter',
    см: 'centimeter',
    мм: 'millimeter',
    кг: 'kilogram',
    г: 'gram',
    л: 'liter',
    мл: 'milliliter',
    га: 'hectare',
    'км/ч': 'kilometer-per-hour',
    'м/с': 'meter-per-second',
    ч: 'hour',
    'ч.': 'hour',
    мин: 'minute',
    'мин.': 'minute',
    сек: 'second',
    'сек.': 'second',
    МБ: 'megabyte',
    ГБ: 'gigabyte',
  },
  moreUnits: {
    'м²': noun('квадратный метр|квадратных метра|квадратных метров|квадратного метра'),
    м2: noun('квадратный метр|квадратных метра|квадратных метров|квадратного метра'),
    'км²': noun(
      'квадратный километр|квадратных километра|квадратных километров|квадратного километра',
    ),
    'м³': noun('кубический метр|кубических метра|кубических метров|кубического метра'),
    кВт·ч: noun('киловатт-час|киловатт-часа|киловатт-часов|киловатт-часа'),
    кВт: noun('киловатт|киловатта|киловатт|киловатта'),
    Вт: noun('ватт|ватта|ватт|ватта'),
    т: noun('тонна|тонны|тонн|тонны', 'f'),
    шт: noun('штука|штуки|штук|штуки', 'f'),
    'шт.': noun('штука|штуки|штук|штуки', 'f'),
    мг: noun('миллиграмм|миллиграмма|миллиграммов|миллиграмма'),
  },
  letters: letterNames(LETTERS),
  abbreviations: SHORT_FORMS,
  acronyms: [
    'США:сэ шэ а',
    'ЕС',
    'ФСБ',
    'РФ:эр эф',
    'ООН:оон',
    'ИНН',
    'ООО',
    'ОАО',
    'АО',
    'ЖКХ',
    'МГУ',
    'СМИ:сми',
    'ИП',
    'USA',
    'EU',
  ],
  phones: [
    /(?<![\p{L}\d.,+-])[78][ -]?\(?\d{3}\)?[ -]?\d{3}[ -]\d{2}[ -]\d{2}(?![\d-]|[.,]\d)/gu,
    /(?<![\p{L}\d.,+-])\(\d{3}\) ?\d{3}[ -]\d{2}[ -]\d{2}(?![\d-]|[.,]\d)/gu,
    /(?<![\p{L}\d.,+-])\d{3}-\d{2}-\d{2}(?![\d-]|[.,]\d)/gu,
  ],
  pairsPhones: false,
  own: OWN,
  cardinal,
  half: { behind: [' с половиной', ' с половиной'], alone: ['половина', 'половина'] },
  genitive,
  asksGenitive: (before) => GENITIVE.test(before),
  decimal,
  genderOf,
  fraction: (over, under) => {
    if (under === 2) return over === 1 ? 'одна вторая' : undefined;
    if (under > 100) return undefined;
    const isOne = over % 10 === 1 && over % 100 !== 11;
    return `${cardinal(over, 'f')} ${ordinal(under, isOne ? 'feminine' : 'plural-genitive')}`;
  },
  date: ({ day, month, year }) => {
    const words = [ordinal(day, 'genitive'), MONTHS[month - 1]];
    if (year !== undefined) words.push(ordinal(year, 'genitive'), 'года');
    return words.join(' ');
  },
  time: ({ hour, minute, before }) => {
    const isGenitive = GENITIVE.test(before);
    const hours = isGenitive ? genitive(hour) : cardinal(hour);
    if (minute > 0) {
      const rest = isGenitive ? genitive(minute) : cardinal(minute);
      return `${hours} ${minute < 10 ? 'ноль ' : ''}${rest}`;
    }
    const rule = new Intl.PluralRules('ru').select(hour);
    if (isGenitive) return `${hours} ${rule === 'one' ? 'часа' : 'часов'}`;
    return `${hours} ${rule === 'one' ? 'час' : rule === 'few' ? 'часа' : 'часов'}`;
  },
};
