/** What a question asks for by its question word, and how a sentence looks that tells it. */
interface AnswerKind {
  readonly asked: RegExp;
  readonly told: RegExp;
}

const NUMBER =
  '(?:\\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|half)';

/** English, as are the embeddings. The first that fits a question counts. */
const KINDS: readonly AnswerKind[] = [
  {
    asked: /\bhow (much|expensive)\b|\b(price|prices|cost|costs|fee|fees|charge|rates?)\b/i,
    told: /[$€£]|\b(dollars?|euros?|pounds?|cents?|pence|free|percent)\b|%/i,
  },
  {
    asked: /\bhow (long|soon|quickly|fast)\b|\bhow many (days|weeks|hours|minutes|months)\b/i,
    told: new RegExp(
      `\\b${NUMBER}[\\w\\s-]{0,20}\\b(minutes?|hours?|days?|weeks?|months?|years?)\\b`,
      'i',
    ),
  },
  {
    asked:
      /\bwhen\b|\bwhat (time|times|hours|days?)\b|\bwhich days?\b|\b(opening|business|visiting) (hours|times)\b|\bhow (late|early)\b|\b(open|close|closed|start)s?\b/i,
    told: new RegExp(
      `\\b(mon|tues|wednes|thurs|fri|satur|sun)days?\\b|\\bweek(days?|ends?)\\b|\\b(noon|midnight|o'clock|daily|every day)\\b|\\b\\d{1,2}(:\\d\\d)? ?[ap]\\.?m\\b|\\b\\d{1,2}:\\d\\d\\b|\\b${NUMBER} (in the|and|until|to) \\b`,
      'i',
    ),
  },
  {
    asked: /\bwhere\b|\baddress\b|\blocat(ed|ion)\b/i,
    told: /\b(address|located|street|road|lane|avenue|boulevard|drive|square|floor|next to|opposite|corner|desk|entrance|lobby|hall|building)\b|\bat \d+/i,
  },
  { asked: /\b(who|whose|whom)\b/i, told: /[\p{Ll},] \p{Lu}\p{Ll}+/u },
  {
    asked: /\b(phone|telephone|number|call you|e-?mail|contact)\b/i,
    told: /\d{3}|@|\b(phone|call|e-?mail)\b/i,
  },
];

/** Tells whether a sentence gives the kind of thing (a price, a time, a place…) that is asked for. */
export function questionTypeOf(question: string): (sentence: string) => boolean {
  const kind = KINDS.find(({ asked }) => asked.test(question));
  return (sentence) => kind?.told.test(sentence) ?? false;
}

const OUR_PLACE =
  /\bwhere('s| is| are) (you|your (shop|store|clinic|office|practice|hotel|place)|the (shop|store|bookshop|bookstore|clinic|practice|office|hotel|company|business|place|surgery|dentist))\b|\bwhere (can|do|could|would) (i|we) find you\b|\b(what is|what's|tell me|give me|have|know|need) (your|the) address\b|^(your|the) address\b/i;
const ADDRESS =
  /\b(our|the) address\b|\b(located|situated)\b|\b(at|in|on) \d+\w* \p{Lu}|\p{Lu}\p{L}+ (Street|Road|Lane|Avenue|Square|Drive|Boulevard|Way|Place)\b/u;

/** Whether a question is about where the agent's own house is, not some part or neighbour of it. */
export function asksForOwnLocation(question: string): boolean {
  return OUR_PLACE.test(question);
}

export function containsAddress(sentence: string): boolean {
  return ADDRESS.test(sentence);
}
