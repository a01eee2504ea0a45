import type { TextWords } from './text-words.js';

export const GERMAN_TEXT: TextWords = {
  signs: {
    '.': 'Punkt',
    '@': 'at',
    '/': 'Schrägstrich',
    '-': 'Bindestrich',
    _: 'Unterstrich',
    '+': 'plus',
    '=': 'gleich',
    '&': 'und',
    '?': 'Fragezeichen',
    '#': 'Raute',
    ':': 'Doppelpunkt',
    '%': 'Prozent',
    '~': 'Tilde',
  },
  fullStops: {
    inside:
      'dr prof hr fr frl st str nr tel z.b z.bsp d.h u.a u.u i.d.r o.ä s.o s.u v.a bzw ca vgl abs ggf evtl inkl exkl zzgl mio mrd sog geb gest mwst abb kap jan feb mär apr jun jul aug sep sept okt nov dez ing dipl hl',
    beforeNumber: 'art bd kap',
    either: 'max min usw etc u.s.w u.v.m uvm',
    unnumbered: '',
    insideEndings: 'str nr',
    ordinals: 'behind-article',
  },
};
