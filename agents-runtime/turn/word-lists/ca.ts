import type { TurnWords } from './turn-words.js';

export const CATALAN_TURN: TurnWords = {
  incompleteEndings:
    'i o però perquè si quan mentre que de del a al amb sense per en des entre el la els les un una uns unes l’ meu meva és són era vull necessito doncs com no_ho_sé no_estic_segur no_estic_segura',
  completeEndings: 'sí_és així_és',
  fillers: 'eh ehm mmm a_veure vull_dir doncs_bé',
  numbers:
    'zero u un dos tres quatre cinc sis set vuit nou deu onze dotze tretze catorze quinze setze disset divuit dinou vint trenta quaranta cinquanta seixanta setanta vuitanta noranta',
  ordinals: 'primer',
  questions: {
    digits: 'número* telèfon codi* pin xifres postal iban compte',
    email: 'correu* email* e-mail*',
    'birth-date': 'naixement néixer nascut nascuda aniversari',
    spelling: 'lletreja* lletra_per_lletra s’escriu',
    date: 'data quin_dia',
  },
  at: 'arrova',
  dot: 'punt',
  backchannels: 'mhm mm hm sí ok vale d’acord aha ah ja clar',
};
