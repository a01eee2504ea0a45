import type { TextWords } from './text-words.js';

export const ENGLISH_TEXT: TextWords = {
  signs: {
    '.': 'dot',
    '@': 'at',
    '/': 'slash',
    '-': 'dash',
    _: 'underscore',
    '+': 'plus',
    '=': 'equals',
    '&': 'and',
    '?': 'question mark',
    '#': 'hash',
    ':': 'colon',
    '%': 'percent',
    '~': 'tilde',
  },
  fullStops: {
    inside:
      'mr mrs ms dr prof st mt ft gen gov sen rep capt cpt lt col sgt cmdr rev hon pres supt cpl maj adm fr msgr e.g i.e vs cf viz approx ca ave blvd messrs jan feb mar apr jun jul aug sept sep oct nov dec ext tel',
    beforeNumber: 'no nos fig vol p pp ch art',
    either:
      'etc inc ltd co corp bros jr sr a.m p.m am pm dept est ed eds min max oz lb ft al u.s u.k d.c ph.d b.c a.d',
    unnumbered: '',
    insideEndings: '',
    ordinals: 'none',
  },
};
