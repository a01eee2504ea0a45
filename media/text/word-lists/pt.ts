import type { TextWords } from './text-words.js';

export const PORTUGUESE_TEXT: TextWords = {
  signs: {
    '.': 'ponto',
    '@': 'arroba',
    '/': 'barra',
    '-': 'hífen',
    _: 'sublinhado',
    '+': 'mais',
    '=': 'igual',
    '&': 'e',
    '?': 'ponto de interrogação',
    '#': 'cardinal',
    ':': 'dois pontos',
    '%': 'por cento',
    '~': 'til',
  },
  fullStops: {
    inside:
      'sr sra srta dr dra prof profa eng arq av r p.ex ex fig nº núm tel pág exmo exma d st sto sta art cf vol dpto cap',
    beforeNumber: 'n p pp',
    either: 'etc ltda s.a',
    unnumbered: '',
    insideEndings: '',
    ordinals: 'none',
  },
};
