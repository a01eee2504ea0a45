import type { TurnWords } from './turn-words.js';

export const SWEDISH_TURN: TurnWords = {
  incompleteEndings:
    'och eller men eftersom att om när medan som än med utan för från till av på i vid mellan den det en ett min mitt mina din er vår är var vill behöver jag vi de så inte_säker vet_inte',
  completeEndings: 'det_är så_är_det jag_vill vad_är_det har_jag kan_jag kan_vi',
  fillers: 'eh öh hm mm alltså vänta låt_mig_tänka liksom',
  numbers:
    'noll ett två tre fyra fem sex sju åtta nio tio elva tolv tretton fjorton femton sexton sjutton arton nitton tjugo trettio fyrtio femtio sextio sjuttio åttio nittio',
  ordinals:
    'första andra tredje fjärde femte sjätte sjunde åttonde nionde tionde elfte tolfte *tonde tjugonde trettionde *första *andra *tredje *fjärde *femte',
  questions: {
    digits: '*nummer* *numret kod* pin* siffr*',
    email: 'e-post* epost* mejl* mail* email*',
    'birth-date': 'född* födelse*',
    spelling: 'stava* bokstav*',
    date: 'datum* vilken_dag',
  },
  at: 'snabel-a at',
  dot: 'punkt',
  backchannels: 'mhm mm hm ja jo jaha ok okej aha precis just',
};
