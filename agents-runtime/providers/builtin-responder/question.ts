import type { HistoryItem } from '../../contract/language-model.js';
import { topicOf } from './content-words.js';

/** What the caller asks. */
export interface Question {
  /** What to search for. */
  readonly text: string;
  /** The newest part of it, whose words weigh. */
  readonly focus: string;
  /** What it is about, without the words that frame every question. */
  readonly topic: readonly string[];
}

/** How recognisers write what begins a question; only what reads as one is put right. */
const MISHEARD: readonly (readonly [RegExp, string])[] = [
  [/\b(?:wear|ware|were)(?=('s| is| are| can| do)\b)/gi, 'where'],
  [/\bwatt (?=time|day|is|are|do)/gi, 'what '],
  [/\b(do|can|could|would) (you|i|we) by\b/gi, '$1 $2 buy'],
  [/\byour ours\b/gi, 'your hours'],
  [/\bhow match\b/gi, 'how much'],
];

/** The last question; a short one that leans on the one before is asked together with it. */
export function questionOf(history: readonly HistoryItem[], language: string): Question {
  const questions = history
    .filter(({ role }) => role === 'user')
    .map(({ text }) => putRight(withoutOpening(text)));
  const focus = questions.at(-1) ?? '';
  const leans =
    /^(and|what about|how about|or|also|but)\b/i.test(focus.trim()) &&
    focus.split(/\s+/).length <= 7;
  const before = questions.at(-2);
  const text = leans && before ? `${before} ${focus}` : focus;
  return { text, focus, topic: topicOf(text, language) };
}

/** Without the words by which people take the floor. */
function withoutOpening(text: string): string {
  const rest = text.replace(
    /^((stop|wait|no|yes|yeah|okay|ok|um|uh|er|hm|well|so|sorry|excuse me|hi|hello|hey|please|thanks|thank you)[\s,.!]+)+/i,
    '',
  );
  return /\p{L}/u.test(rest) ? rest : text;
}

function putRight(text: string): string {
  return MISHEARD.reduce((heard, [wrong, right]) => heard.replace(wrong, right), text);
}
