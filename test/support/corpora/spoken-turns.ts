/** One turn of a caller. `|600|` in `said` is a pause of 600 ms. */
export interface SpokenTurn {
  /** The agent's question. Default: a plain question. */
  readonly question?: string;
  readonly text: string;
}

/** The turns from which the rules and thresholds of endpointing were chosen. */
export const TUNING_TURNS: readonly SpokenTurn[] = [
  { text: 'I would like to book a table for two people tomorrow evening.' },
  { text: 'What time do you close on Saturdays?' },
  { text: 'Yes.' },
  { text: 'No.' },
  { text: 'No thanks, that is everything.' },
  { text: 'Can you tell me |700| where your office is?' },
  { text: 'I am calling because, um, |900| my parcel has not arrived yet.' },
  {
    question: 'What is your phone number?',
    text: 'It is four one five, |800| five five five, |700| zero one nine two.',
  },
  {
    question: 'Could you give me your e-mail address?',
    text: 'Sure, it is anna dot miller |900| at example dot com.',
  },
  {
    question: 'What is your date of birth?',
    text: 'The fourteenth of May |1000| nineteen eighty two.',
  },
  { question: 'Can you spell your last name for me?', text: 'S, M, |700| Y, T, H.' },
  { text: 'Hello, I have a question about my last bill.' },
  { text: 'Could I speak to somebody in sales, please?' },
  { text: 'My order number is seven seven |1100| three nine zero two.' },
  { text: 'Not really.' },
  { text: 'I need to change my appointment from Monday |600| to Thursday.' },
  { text: 'It was charged twice, and I want |1200| my money back.' },
  { text: 'Thank you very much for your help.' },
  { text: 'Do you deliver to the north side of the city?' },
  { text: 'Okay.' },
  { text: 'The blue one.' },
  { question: 'How many guests will there be?', text: 'Twelve.' },
  { text: 'Could you send the invoice to my work address?' },
  { text: 'I think it was on Tuesday or |800| maybe on Wednesday.' },
  { text: 'How much does the larger one cost?' },
  { question: 'Which city do you live in?', text: 'San Francisco.' },
  { text: 'I lost my card this morning, and I would like to block it.' },
  { text: 'Sure.' },
  { text: 'We are flying to Rome with, uh, |700| three children.' },
  { text: 'That sounds good to me.' },
];

/**
 * Evaluation turns, spoken by voices not used in tuning. The figures in `README.md` come from them.
 */
export const EVALUATION_TURNS: readonly SpokenTurn[] = [
  { text: 'I want to cancel my subscription at the end of the month.' },
  { text: 'Are you open on public holidays?' },
  { text: 'No.' },
  { text: 'Yes, please.' },
  { text: 'My internet has been very slow since yesterday evening.' },
  { text: 'I would like to order a large pizza with |800| mushrooms and olives.' },
  { text: 'Is it possible to, um, |1000| pay in two parts?' },
  {
    question: 'What number can we reach you on?',
    text: 'Two zero two, |900| five five five, |800| zero one four seven.',
  },
  {
    question: 'And your e-mail, please?',
    text: 'Peter dot jones |800| at example dot org.',
  },
  { question: 'When were you born?', text: 'On the third of March |900| nineteen ninety one.' },
  { question: 'How do you spell that?', text: 'B, R, A, |800| N, D, T.' },
  { text: 'Where can I find the nearest store?' },
  { text: 'Yes.' },
  { text: 'I would rather talk to a person, please.' },
  { text: 'The code on the letter is nine four |700| two two eight.' },
  { text: 'Maybe next week.' },
  { text: 'He told me that the driver would come at ten, but |1200| nobody was there.' },
  { text: 'Great, thank you so much.' },
  { text: 'How long does the repair usually take?' },
  { text: 'That is correct.' },
  { text: 'I forgot my password and cannot log in any more.' },
  { question: 'For how many nights?', text: 'Three.' },
  { text: 'Please call my wife |700| instead of me.' },
  { text: 'Do you have the same shirt in green?' },
  { text: 'I am not sure, |600| let me think, |1300| I will take the early one.' },
  { text: 'It broke after two days.' },
  { question: 'Which airport are you leaving from?', text: 'Heathrow.' },
  { text: 'We moved to a new flat, so |900| the address is wrong.' },
  { text: 'Can I bring my dog?' },
  { text: 'Goodbye.' },
];
