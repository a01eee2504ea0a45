import type { TurnWords } from './turn-words.js';

export const ENGLISH_TURN: TurnWords = {
  incompleteEndings:
    "and or but because if when while although unless which whose than with without for from to of at into between the a an my your our their is are was were want i we they can_you_tell_me could_you_tell_me i_mean such_as not_sure i_don't_know i_don’t_know",
  completeEndings:
    'it_is there_is that_is this_is he_is she_is what_it_is they_are we_are you_are it_was they_were that_was so_do_i should_i can_i may_i can_we',
  fillers: 'um uh er erm hmm hm let_me_think let_me_see you_know',
  numbers:
    'zero oh nought one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety double triple',
  ordinals:
    'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth *teenth twentieth thirtieth',
  questions: {
    digits: 'number* phone* telephone code pin digits zip postcode iban account_number',
    email: 'email* e-mail* mail_address',
    'birth-date': 'born birth birthday birthdate',
    spelling: 'spell* letter_by_letter',
    date: 'date what_day which_day',
  },
  at: 'at',
  dot: 'dot',
  backchannels: 'mhm mm mmm hm hmm uh-huh uh huh yeah yes yep yup ok okay right sure aha oh ah um',
};
