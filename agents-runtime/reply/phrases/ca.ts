import type { StockPhrases } from './stock-phrases.js';

export const CATALAN_PHRASES: StockPhrases = {
  prompts: ['Encara hi ets?', 'Hola? Em sents?'],
  warning: 'Ens queda mig minut.',
  noAudio: 'No et sento. Comprova el micròfon, si us plau.',
  notUnderstood: 'Perdona, no t’he entès. Ho pots repetir?',
  voiceApology: 'Perdona, se m’ha tallat la veu. M’ho pots tornar a preguntar?',
  fillers: ['Un moment, si us plau.', 'Encara hi estic treballant.'],
  noAnswer: 'Ho sento, ara no ho he pogut resoldre. Ho pots repetir?',
  brokenOff: 'Ho sento, la resposta s’ha tallat.',
  goodbyes: {
    silence: 'Ja no et sento i penjaré. Adeu.',
    limit: 'S’ha acabat el temps. Gràcies i adeu.',
    fault: 'Ho sento, alguna cosa no funciona. Truca més tard, si us plau. Adeu.',
    other: 'Adeu.',
  },
};
