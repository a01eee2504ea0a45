import type { TextLexicon } from './text-lexicon.js';

export const RUSSIAN_TEXT: TextLexicon = {
  signs: {
    '.': 'точка',
    '@': 'собака',
    '/': 'слэш',
    '-': 'дефис',
    _: 'подчёркивание',
    '+': 'плюс',
    '=': 'равно',
    '&': 'и',
    '?': 'вопросительный знак',
    '#': 'решётка',
    ':': 'двоеточие',
    '%': 'процент',
    '~': 'тильда',
  },
  fullStops: {
    inside:
      'д ул пр просп пер стр кв корп проф акад т.е т.к т.н т.о напр см тел тыс млн млрд г-н г-жа св гр рис напр корп доб',
    beforeNumber: 'рис',
    either: 'т.д т.п др гг руб коп',
    unnumbered: 'г',
    insideEndings: '',
    ordinals: 'none',
  },
};
