import type { TurnWords } from './turn-words.js';

export const POLISH_TURN: TurnWords = {
  incompleteEndings:
    'i a oraz lub albo ale bo ponieważ że żeby jeśli jeżeli kiedy gdy chociaż który która które z ze bez dla od do na w we po przy o między mój moja moje mam jest są był była chcę chciałbym chciałabym potrzebuję więc jak nie_wiem nie_jestem_pewien nie_jestem_pewna',
  completeEndings: 'tak_jest to_jest_to',
  fillers: 'eee yyy hmm no_więc znaczy zaraz chwileczkę',
  numbers:
    'zero jeden jedna dwa dwie trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście trzynaście czternaście piętnaście szesnaście siedemnaście osiemnaście dziewiętnaście dwadzieścia trzydzieści czterdzieści pięćdziesiąt sześćdziesiąt siedemdziesiąt osiemdziesiąt dziewięćdziesiąt',
  ordinals:
    'pierwszego drugiego trzeciego czwartego piątego szóstego siódmego ósmego dziewiątego dziesiątego *nastego *dziestego pierwszy drugi trzeci czwarty piąty szósty siódmy ósmy dziewiąty dziesiąty *nasty *dziesty',
  questions: {
    digits: 'numer* telefon* kod* pin cyfr* pesel nip iban kont*',
    email: 'email* e-mail* mail* adres_mailowy',
    'birth-date': 'urodzenia urodzony urodzona urodził* urodzin*',
    spelling: 'przeliter* literow* litera_po_literze',
    date: 'dat* którego_dnia jaki_dzień',
  },
  at: 'małpa',
  dot: 'kropka',
  backchannels: 'mhm mm hm tak no ok okej dobrze aha jasne',
};
