/** A type of question, and what a sentence with such a fact contains. */
interface QuestionType {
  readonly question: RegExp;
  readonly answer: RegExp;
}

const NUMBER =
  '(?:\\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|half)';

/** For English only, as are the embeddings. The first match counts. */
const TYPES: readonly QuestionType[] = [
  {
    question: /\bhow (much|expensive)\b|\b(price|prices|cost|costs|fee|fees|charge|rates?)\b/i,
    answer: /[$€£]|\b(dollars?|euros?|pounds?|cents?|pence|free|percent)\b|%/i,
  },
  {
    question: /\bhow (long|soon|quickly|fast)\b|\bhow many (days|weeks|hours|minutes|months)\b/i,
    answer: new RegExp(
      `\\b${NUMBER}[\\w\\s-]{0,20}\\b(minutes?|hours?|days?|weeks?|months?|years?)\\b`,
      'i',
    ),
  },
  {
    question:
      /\bwhen\b|\bwhat (time|times|hours|days?)\b|\bwhich days?\b|\b(opening|business|visiting) (hours|times)\b|\bhow (late|early)\b|\b(open|close|closed|start)s?\b/i,
    answer: new RegExp(
      `\\b(mon|tues|wednes|thurs|fri|satur|sun)days?\\b|\\bweek(days?|ends?)\\b|\\b(noon|midnight|o'clock|daily|every day)\\b|\\b\\d{1,2}(:\\d\\d)? ?[ap]\\.?m\\b|\\b\\d{1,2}:\\d\\d\\b|\\b${NUMBER} (in the|and|until|to) \\b`,
      'i',
    ),
  },
  {
    question: /\bwhere\b|\baddress\b|\blocat(ed|ion)\b/i,
    answer:
      /\b(address|located|street|road|lane|avenue|boulevard|drive|square|floor|next to|opposite|corner|desk|entrance|lobby|hall|building)\b|\bat \d+/i,
  },
  { question: /\b(who|whose|whom)\b/i, answer: /[\p{Ll},] \p{Lu}\p{Ll}+/u },
  {
    question: /\b(phone|telephone|number|call you|e-?mail|contact)\b/i,
    answer: /\d{3}|@|\b(phone|call|e-?mail)\b/i,
  },
];

/** A test whether a sentence contains the kind of fact (price, time, place …) that is asked for. */
export function questionTypeOf(question: string): (sentence: string) => boolean {
  const type = TYPES.find((each) => each.question.test(question));
  return (sentence) => type?.answer.test(sentence) ?? false;
}

const OUR_PLACE =
  /\bwhere('s| is| are) (you|your (shop|store|clinic|office|practice|hotel|place)|the (shop|store|bookshop|bookstore|clinic|practice|office|hotel|company|business|place|surgery|dentist))\b|\bwhere (can|do|could|would) (i|we) find you\b|\b(what is|what's|tell me|give me|have|know|need) (your|the) address\b|^(your|the) address\b/i;
const ADDRESS =
  /\b(our|the) address\b|\b(located|situated)\b|\b(at|in|on) \d+\w* \p{Lu}|\p{Lu}\p{L}+ (Street|Road|Lane|Avenue|Square|Drive|Boulevard|Way|Place)\b/u;

/** Whether a question asks for the address of the agent's organisation, not for a place inside or near it. */
export function asksForOwnLocation(question: string): boolean {
  return OUR_PLACE.test(question);
}

export function containsAddress(sentence: string): boolean {
  return ADDRESS.test(sentence);
}
