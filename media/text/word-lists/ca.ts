import type { TextWords } from './text-words.js';

export const CATALAN_TEXT: TextWords = {
  signs: {
    '.': 'punt',
    '@': 'arrova',
    '/': 'barra',
    '-': 'guió',
    _: 'guió baix',
    '+': 'més',
    '=': 'igual',
    '&': 'i',
    '?': 'interrogant',
    '#': 'coixinet',
    ':': 'dos punts',
    '%': 'per cent',
    '~': 'titlla',
  },
  fullStops: {
    inside: 'sr sra srta dr dra prof av c pl núm p.ex ex fig pàg tel st sta mons hble excm ntra',
    beforeNumber: 'n p pp',
    either: 'etc s.a s.l',
    unnumbered: '',
    insideEndings: '',
    ordinals: 'none',
  },
};
