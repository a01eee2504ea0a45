/** One turn of a caller. `|600|` in what is said is a pause of 600 ms at that place. */
export interface SpokenTurn {
  /** What the agent said before; a plain question where nothing is given. */
  readonly asked?: string;
  readonly said: string;
}

/** The turns on which the rules and figures of endpointing were chosen. */
export const TUNING_TURNS: readonly SpokenTurn[] = [
  { said: 'I would like to book a table for two people tomorrow evening.' },
  { said: 'What time do you close on Saturdays?' },
  { said: 'Yes.' },
  { said: 'No.' },
  { said: 'No thanks, that is everything.' },
  { said: 'Can you tell me |700| where your office is?' },
  { said: 'I am calling because, um, |900| my parcel has not arrived yet.' },
  {
    asked: 'What is your phone number?',
    said: 'It is four one five, |800| five five five, |700| zero one nine two.',
  },
  {
    asked: 'Could you give me your e-mail address?',
    said: 'Sure, it is anna dot miller |900| at example dot com.',
  },
  {
    asked: 'What is your date of birth?',
    said: 'The fourteenth of May |1000| nineteen eighty two.',
  },
  { asked: 'Can you spell your last name for me?', said: 'S, M, |700| Y, T, H.' },
  { said: 'Hello, I have a question about my last bill.' },
  { said: 'Could I speak to somebody in sales, please?' },
  { said: 'My order number is seven seven |1100| three nine zero two.' },
  { said: 'Not really.' },
  { said: 'I need to change my appointment from Monday |600| to Thursday.' },
  { said: 'It was charged twice, and I want |1200| my money back.' },
  { said: 'Thank you very much for your help.' },
  { said: 'Do you deliver to the north side of the city?' },
  { said: 'Okay.' },
  { said: 'The blue one.' },
  { asked: 'How many guests will there be?', said: 'Twelve.' },
  { said: 'Could you send the invoice to my work address?' },
  { said: 'I think it was on Tuesday or |800| maybe on Wednesday.' },
  { said: 'How much does the larger one cost?' },
  { asked: 'Which city do you live in?', said: 'San Francisco.' },
  { said: 'I lost my card this morning, and I would like to block it.' },
  { said: 'Sure.' },
  { said: 'We are flying to Rome with, uh, |700| three children.' },
  { said: 'That sounds good to me.' },
];

/** Other turns, for voices that had no part in tuning: on these the figures of the README are made. */
export const JUDGED_TURNS: readonly SpokenTurn[] = [
  { said: 'I want to cancel my subscription at the end of the month.' },
  { said: 'Are you open on public holidays?' },
  { said: 'No.' },
  { said: 'Yes, please.' },
  { said: 'My internet has been very slow since yesterday evening.' },
  { said: 'I would like to order a large pizza with |800| mushrooms and olives.' },
  { said: 'Is it possible to, um, |1000| pay in two parts?' },
  {
    asked: 'What number can we reach you on?',
    said: 'Two zero two, |900| five five five, |800| zero one four seven.',
  },
  {
    asked: 'And your e-mail, please?',
    said: 'Peter dot jones |800| at example dot org.',
  },
  { asked: 'When were you born?', said: 'On the third of March |900| nineteen ninety one.' },
  { asked: 'How do you spell that?', said: 'B, R, A, |800| N, D, T.' },
  { said: 'Where can I find the nearest store?' },
  { said: 'Yes.' },
  { said: 'I would rather talk to a person, please.' },
  { said: 'The code on the letter is nine four |700| two two eight.' },
  { said: 'Maybe next week.' },
  { said: 'He told me that the driver would come at ten, but |1200| nobody was there.' },
  { said: 'Great, thank you so much.' },
  { said: 'How long does the repair usually take?' },
  { said: 'That is correct.' },
  { said: 'I forgot my password and cannot log in any more.' },
  { asked: 'For how many nights?', said: 'Three.' },
  { said: 'Please call my wife |700| instead of me.' },
  { said: 'Do you have the same shirt in green?' },
  { said: 'I am not sure, |600| let me think, |1300| I will take the early one.' },
  { said: 'It broke after two days.' },
  { asked: 'Which airport are you leaving from?', said: 'Heathrow.' },
  { said: 'We moved to a new flat, so |900| the address is wrong.' },
  { said: 'Can I bring my dog?' },
  { said: 'Goodbye.' },
];
