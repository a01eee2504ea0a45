import type { TextWords } from './text-words.js';

export const SPANISH_TEXT: TextWords = {
  signs: {
    '.': 'punto',
    '@': 'arroba',
    '/': 'barra',
    '-': 'guion',
    _: 'guion bajo',
    '+': 'más',
    '=': 'igual',
    '&': 'y',
    '?': 'interrogación',
    '#': 'almohadilla',
    ':': 'dos puntos',
    '%': 'por ciento',
    '~': 'tilde',
  },
  fullStops: {
    inside:
      'sr sra srta d dña dr dra prof av avda c ctra pl núm nro pág p.ej ej fig tel sto sta gral cap ing lic excmo ilmo vd vds ud uds ee.uu vol tomo art aprox dpto',
    beforeNumber: 'n p pp',
    either: 'etc s.a s.l a.m p.m cía',
    unnumbered: '',
    insideEndings: '',
    ordinals: 'none',
  },
};
