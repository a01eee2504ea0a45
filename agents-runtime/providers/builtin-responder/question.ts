import type { HistoryItem } from '../../contract/language-model.js';
import { topicOf } from './content-words.js';

export interface CallerQuestion {
  /** The text to search for. */
  readonly text: string;
  /** The caller's newest words. */
  readonly focus: string;
  /** The content words of `text`. */
  readonly topic: readonly string[];
}

/** "where" as speech recognition may write it. */
const MISRECOGNISED_WHERE = /\b(?:wear|ware|were)(?=('s| is| are| can| do)\b)/gi;

/** The caller's last question. A short one that continues the one before is joined to it. */
export function callerQuestionOf(
  history: readonly HistoryItem[],
  language: string,
): CallerQuestion {
  const questions = history
    .filter(({ role }) => role === 'user')
    .map(({ text }) => withoutOpening(text).replace(MISRECOGNISED_WHERE, 'where'));
  const focus = questions.at(-1) ?? '';
  const continues =
    /^(and|what about|how about|or|also|but)\b/i.test(focus.trim()) &&
    focus.split(/\s+/).length <= 7;
  const before = questions.at(-2);
  const text = continues && before ? `${before} ${focus}` : focus;
  return { text, focus, topic: topicOf(text, language) };
}

/** Drops interjections and greetings before the question. */
function withoutOpening(text: string): string {
  const rest = text.replace(
    /^((stop|wait|no|yes|yeah|okay|ok|um|uh|er|hm|well|so|sorry|excuse me|hi|hello|hey|please|thanks|thank you)[\s,.!]+)+/i,
    '',
  );
  return /\p{L}/u.test(rest) ? rest : text;
}
