import type { TurnWords } from './turn-words.js';

export const GERMAN_TURN: TurnWords = {
  incompleteEndings:
    'und oder aber weil denn dass ob wenn als während obwohl mit ohne für von vom zu zum zur bei beim nach aus in im am auf über zwischen der die das den dem des ein eine einen einem einer mein meine meinen ihr ihre unser ist sind war möchte will brauche ich wir sowie nicht_sicher weiß_nicht',
  completeEndings:
    'das_ist_es so_ist_das ja_das_ist_es kann_ich darf_ich können_wir was_ist_das bin_ich',
  fillers: 'äh ähm öh hm also moment mal_sehen sozusagen',
  numbers:
    'null eins ein zwei zwo drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig *undzwanzig *unddreißig *undvierzig *undfünfzig *undsechzig *undsiebzig *undachtzig *undneunzig doppel*',
  ordinals:
    'ersten erster zweiten zweiter dritten dritter vierten vierter fünften fünfter sechsten sechster siebten siebter achten achter neunten neunter zehnten zehnter elften elfter zwölften zwölfter *zehnten *zehnter *zigsten *zigster *ßigsten *ßigster',
  questions: {
    digits: '*nummer* *kode *code pin *ziffern *leitzahl iban plz',
    email: 'e-mail* email* *mailadresse mail',
    'birth-date': 'geboren* geburts* geburtsdatum',
    spelling: 'buchstab*',
    date: '*datum welcher_tag welchem_tag welchen_tag',
  },
  at: 'at ät klammeraffe',
  dot: 'punkt',
  backchannels: 'mhm mm hm ja ok okay genau aha ach so klar gut',
};
