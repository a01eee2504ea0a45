import type { TextWords } from './text-words.js';

export const DUTCH_TEXT: TextWords = {
  signs: {
    '.': 'punt',
    '@': 'apenstaartje',
    '/': 'schuine streep',
    '-': 'streepje',
    _: 'laag streepje',
    '+': 'plus',
    '=': 'is',
    '&': 'en',
    '?': 'vraagteken',
    '#': 'hekje',
    ':': 'dubbele punt',
    '%': 'procent',
    '~': 'tilde',
  },
  fullStops: {
    inside:
      'dhr mevr mw dr drs ir ing prof st mr ds bijv bv d.w.z nl o.a m.b.t i.p.v t.a.v z.g.a.n nr tel ca fig blz drs mej resp incl excl max min jhr z.s.m a.u.b i.v.m t.o.v',
    beforeNumber: 'p',
    either: 'enz etc e.d',
    unnumbered: '',
    insideEndings: '',
    ordinals: 'none',
  },
};
