import type { TurnWords } from './turn-words.js';

export const FRENCH_TURN: TurnWords = {
  incompleteEndings:
    'et ou mais parce_que puisque car si quand lorsque que qui dont de du des d’ à au aux avec sans pour par en dans chez vers entre le la les l’ un une mon ma mes votre vos notre est sont était veux voudrais donc comme je nous sais_pas pas_sûr pas_sûre',
  completeEndings: 'c’est_ça puis-je peut-on comme_ça',
  fillers: 'euh heu hum ben bah attendez voyons c’est-à-dire',
  numbers:
    'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt vingts trente quarante cinquante soixante septante huitante nonante double',
  ordinals: 'premier',
  questions: {
    digits: 'numéro* téléphone code* pin chiffres iban compte',
    email: 'courriel* email* e-mail* mail* adresse_électronique',
    'birth-date': 'naissance né née naquis anniversaire',
    spelling: "épel* l’épel* lettre_par_lettre s’écrit s'écrit",
    date: 'date* quel_jour',
  },
  at: 'arobase arobas',
  dot: 'point',
  backchannels: 'mhm mm hm oui ouais ok okay bien ah d’accord voilà',
};
