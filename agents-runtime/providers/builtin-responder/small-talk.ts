import { wordsOf } from '../../../media/text/words.js';

/** Utterances that need no knowledge to answer. */
export type SmallTalk =
  | 'hello'
  | 'thanks'
  | 'goodbye'
  | 'how-are-you'
  | 'who-are-you'
  | 'what-can-you-do'
  | 'can-you-hear-me'
  | 'repeat'
  | 'yes'
  | 'no'
  | 'fine';

interface Rule {
  readonly kind: SmallTalk;
  /** Matched against the lower-case words of the text, joined by spaces. */
  readonly pattern: RegExp;
  /** A longer text is not small talk. */
  readonly maxWords: number;
}

const RULES: readonly Rule[] = [
  {
    kind: 'goodbye',
    pattern:
      /\b(good ?bye|bye|see you|have a (nice|good) (day|one|evening)|that('s| is| was) all|that('ll| will) be all)\b/,
    maxWords: 10,
  },
  {
    kind: 'how-are-you',
    pattern: /\bhow (are|r) (you|things)( doing)?\b|\bhow('s| is) it going\b/,
    maxWords: 8,
  },
  {
    kind: 'who-are-you',
    pattern:
      /\b(who|what) are you\b|\bwho am i (talking|speaking) (to|with)\b|\bare you (a |an )?(real|human|person|robot|bot|machine|computer|ai)\b/,
    maxWords: 10,
  },
  {
    kind: 'repeat',
    pattern:
      /\b(say|repeat) (that|it)( again)?\b|^(pardon|sorry|what|come again|excuse me|repeat)( me)?( please)?$|\bdidn('t| not) (hear|catch|get) (that|you|it)\b/,
    maxWords: 9,
  },
  {
    kind: 'what-can-you-do',
    pattern:
      /\bwhat (can|do) you (do|know|offer|answer|help( me)?( with)?)( for me)?$|\bwhat can (i|you) (ask|tell)( you| me)?( about)?$|^can you help( me)?( please)?$|^(i need|i have) (some )?(help|a question)( please)?$/,
    maxWords: 10,
  },
  {
    kind: 'can-you-hear-me',
    pattern:
      /\b(can|do) you hear me\b|\bare you (still )?(there|here)\b|^(is )?(anybody|anyone) there$/,
    maxWords: 8,
  },
  { kind: 'thanks', pattern: /\b(thanks|thank you|cheers|much appreciated)\b/, maxWords: 8 },
  {
    kind: 'hello',
    pattern: /^(oh |um |uh )?(hello|hi|hey|hiya|good (morning|afternoon|evening|day))\b/,
    maxWords: 5,
  },
  { kind: 'yes', pattern: /^(yes|yeah|yep|sure|yes please|yes i do|of course)$/, maxWords: 3 },
  {
    kind: 'no',
    pattern: /^(no|nope|nothing|not really|no (that is|that's) it|nothing else)$/,
    maxWords: 4,
  },
  {
    kind: 'fine',
    pattern:
      /^(oh |ah )?((ok|okay|alright|all right|great|perfect|good|fine|cool|nice|i see|got it|wonderful|excellent|very good|that's (great|good|fine|nice)|sounds good) ?)+(then)?$/,
    maxWords: 5,
  },
];

/** Words of a question after a polite opening. */
const QUESTION_WORDS =
  /\b(when|where|which|why|how much|how many|how long|do you|can i|could i|is there|are there|what (is|are|time|about)|tell me)\b/;

/** Recognises English small talk; undefined for anything that may need an answer from the texts. */
export function smallTalkOf(text: string): SmallTalk | undefined {
  const words = wordsOf(text, 'en');
  const joined = words.join(' ');
  for (const { kind, pattern, maxWords } of RULES) {
    if (words.length > maxWords || !pattern.test(joined)) continue;
    const isPolite = kind === 'thanks' || kind === 'hello' || kind === 'goodbye';
    if (isPolite && QUESTION_WORDS.test(joined)) continue;
    return kind;
  }
  return undefined;
}
