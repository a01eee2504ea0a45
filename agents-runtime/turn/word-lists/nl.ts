import type { TurnWords } from './turn-words.js';

export const DUTCH_TURN: TurnWords = {
  incompleteEndings:
    'en of maar omdat want dat als wanneer terwijl hoewel die met zonder voor van naar bij uit in op aan over tussen tot de het een mijn uw jouw onze is zijn was wil nodig_heb ik we wij dus zoals niet_zeker weet_niet weet_het_niet',
  completeEndings:
    'dat_is_het zo_is_het kan_ik mag_ik kunnen_we wat_is_het wat_is_dat hoe_laat_is_het',
  fillers: 'eh uh ehm uhm hm nou even_denken zeg_maar wacht',
  numbers:
    'nul één een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien twintig dertig veertig vijftig zestig zeventig tachtig negentig *entwintig *endertig *enveertig *envijftig *enzestig *enzeventig *entachtig *ennegentig dubbel',
  ordinals:
    'eerste tweede derde vierde vijfde zesde zevende achtste negende tiende elfde twaalfde *tiende *tigste',
  questions: {
    digits: '*nummer* *code* pin* cijfers iban rekening*',
    email: 'e-mail* email* *mailadres mail',
    'birth-date': 'geboren geboorte* verjaardag',
    spelling: 'spel* letter_voor_letter',
    date: '*datum welke_dag',
  },
  at: 'apenstaartje at',
  dot: 'punt',
  backchannels: 'mhm mm hm ja ok oké okay precies aha juist',
};
