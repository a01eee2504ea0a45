import type { TextWords } from './text-words.js';

export const POLISH_TEXT: TextWords = {
  signs: {
    '.': 'kropka',
    '@': 'małpa',
    '/': 'ukośnik',
    '-': 'myślnik',
    _: 'podkreślenie',
    '+': 'plus',
    '=': 'równa się',
    '&': 'i',
    '?': 'znak zapytania',
    '#': 'krzyżyk',
    ':': 'dwukropek',
    '%': 'procent',
    '~': 'tylda',
  },
  fullStops: {
    inside:
      'p prof dr mgr inż hab św ul al pl nr tel tys mln mld np tzn tj m.in ok godz gen płk kpt ks os por rys zob ww r',
    beforeNumber: '',
    either: 'itd itp',
    unnumbered: '',
    insideEndings: '',
    ordinals: 'before-small',
  },
};
