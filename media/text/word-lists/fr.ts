import type { TextWords } from './text-words.js';

export const FRENCH_TEXT: TextWords = {
  signs: {
    '.': 'point',
    '@': 'arobase',
    '/': 'barre oblique',
    '-': 'tiret',
    _: 'tiret bas',
    '+': 'plus',
    '=': 'égale',
    '&': 'et',
    '?': 'point d’interrogation',
    '#': 'dièse',
    ':': 'deux-points',
    '%': 'pour cent',
    '~': 'tilde',
  },
  fullStops: {
    inside: 'm mm mme mmes mlle dr pr me st ste av bd boul p.ex ex fig n° tél cf env',
    beforeNumber: 'no nos vol art chap fig',
    either: 'etc s.a',
    unnumbered: '',
    insideEndings: '',
    ordinals: 'none',
  },
};
