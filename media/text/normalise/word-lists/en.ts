/** Tables that all English voices use. Lists are words separated by spaces. */
export const ENGLISH_TABLES = {
  ones: 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
  tens: 'zero ten twenty thirty forty fifty sixty seventy eighty ninety',
  /** By powers of a thousand. */
  scales:
    ' thousand million billion trillion quadrillion quintillion sextillion septillion octillion nonillion decillion',
  irregularOrdinals: {
    one: 'first',
    two: 'second',
    three: 'third',
    five: 'fifth',
    eight: 'eighth',
    nine: 'ninth',
    twelve: 'twelfth',
  },
  /** From the denominator 2. */
  fractions: 'half third quarter fifth sixth seventh eighth ninth tenth',
  days: 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday',
  /** Abbreviations that the tables of the voice lack. */
  moreAbbreviations: {
    'ext.': 'extension',
    'tel.': 'telephone',
    'ref.': 'reference',
    'misc.': 'miscellaneous',
    'e.g.': 'for example',
    'i.e.': 'that is',
  },
  /** Units that the tables of the voice lack. */
  moreUnits: {
    g: ['gram', 'grams'],
    L: ['liter', 'liters'],
    V: ['volt', 'volts'],
    kV: ['kilovolt', 'kilovolts'],
    W: ['watt', 'watts'],
    dB: ['decibel', 'decibels'],
    'm²': ['square meter', 'square meters'],
    'km²': ['square kilometer', 'square kilometers'],
    kbps: ['kilobits per second', 'kilobits per second'],
    bpm: ['beats per minute', 'beats per minute'],
    ' s': ['second', 'seconds'],
  },
  /** Hundredths of a currency. */
  hundredths: {
    $: ['cent', 'cents'],
    '€': ['cent', 'cents'],
    '£': ['penny', 'pence'],
  },
  /** Letters after an amount. */
  largeLetters: {
    k: 'thousand',
    m: 'million',
    b: 'billion',
  },
  /** Short forms after "per". */
  periods: {
    hr: 'hour',
    d: 'day',
    wk: 'week',
    mo: 'month',
    yr: 'year',
  },
  /** Names of signs inside `[SPELL:…]`. */
  signNames: {
    '.': 'dot',
    '-': 'dash',
    _: 'underscore',
    '/': 'slash',
    '@': 'at',
    '+': 'plus',
    '#': 'hash',
    '&': 'and',
    '*': 'star',
    '=': 'equals',
    ':': 'colon',
    '?': 'question mark',
    '!': 'exclamation mark',
    '%': 'percent',
    $: 'dollar',
    ',': 'comma',
    "'": 'apostrophe',
  },
} as const;
