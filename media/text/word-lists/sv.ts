import type { TextWords } from './text-words.js';

export const SWEDISH_TEXT: TextWords = {
  signs: {
    '.': 'punkt',
    '@': 'snabel-a',
    '/': 'snedstreck',
    '-': 'bindestreck',
    _: 'understreck',
    '+': 'plus',
    '=': 'lika med',
    '&': 'och',
    '?': 'frågetecken',
    '#': 'nummertecken',
    ':': 'kolon',
    '%': 'procent',
    '~': 'tilde',
  },
  fullStops: {
    inside:
      't.ex bl.a dvs s.k fr.o.m t.o.m m.a.o kl nr tel ca resp inkl exkl prof dr st fig jfr o.d f.d p.g.a i.st',
    beforeNumber: 's',
    either: 'etc osv m.m m.fl',
    unnumbered: '',
    insideEndings: '',
    ordinals: 'none',
  },
};
