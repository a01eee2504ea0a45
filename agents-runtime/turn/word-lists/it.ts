import type { TurnWords } from './turn-words.js';

export const ITALIAN_TURN: TurnWords = {
  incompleteEndings:
    'e ed o oppure ma perché se quando mentre anche che di del della dei a al alla con senza per da dal in nel tra fra il lo la i gli le l’ un uno una mio mia miei suo è sono era voglio vorrei quindi come non_so non_sono_sicuro non_sono_sicura',
  completeEndings: 'così_è sì_è che_cos’è cos’è dov’è com’è',
  fillers: 'ehm eh uhm mmm allora dunque cioè vediamo aspetti',
  numbers:
    'zero uno un due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove venti trenta quaranta cinquanta sessanta settanta ottanta novanta doppia doppio',
  ordinals: 'primo',
  questions: {
    digits: 'numero* telefono* cellulare codice* pin cifre iban conto',
    email: 'email* e-mail* mail posta_elettronica',
    'birth-date': 'nascita nato nata compleanno',
    spelling: 'spell* compit* lettera_per_lettera si_scrive',
    date: 'data che_giorno quale_giorno',
  },
  at: 'chiocciola',
  dot: 'punto',
  backchannels: 'mhm mm hm sì ok va bene certo ah già',
};
