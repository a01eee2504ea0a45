import type { SpokenForm } from '../../aligned-text.js';
import { englishCardinal } from './number-words.js';
import { spelt } from './spelling.js';

/** Rules for times of day and durations: "7:30 pm", "14:05", "9am-5pm", "3h 20m". */
export const TIMES: readonly SpokenForm[] = [
  {
    pattern:
      /(?<![\w:.])(\d{1,2}(?::\d{2})?)\s?([ap]\.?m\.?)?\s?[-–]\s?(?=\d{1,2}(?::\d{2}|\s?[ap]\.?m))/gi,
    say: ([, from = '', half]) => `${from}${half ? ` ${half}` : ''} to `,
  },
  {
    pattern: /(?<![\w.])(\d{1,2})\s?h\s?(\d{1,2})\s?m(?:in)?\b/g,
    say: ([, hours, minutes]) =>
      `${hours} ${Number(hours) === 1 ? 'hour' : 'hours'} ${minutes} ${Number(minutes) === 1 ? 'minute' : 'minutes'}`,
  },
  {
    pattern:
      /(?<![\w:])(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s?([AaPp])(?:\.[Mm]\.?|[Mm])(?![A-Za-z]))?(?![\d:])/g,
    say: (match) => {
      const [, hour = '', minute = '', second, half] = match;
      if (Number(hour) > 24 || Number(minute) > 59 || Number(second ?? 0) > 59) return undefined;
      const words = [englishCardinal(hour)];
      if (Number(minute) > 0) words.push(Number(minute) < 10 ? 'oh' : '', englishCardinal(minute));
      else if (!half && !second) words.push("o'clock");
      if (second)
        words.push('and', englishCardinal(second), Number(second) === 1 ? 'second' : 'seconds');
      if (half) words.push(halfOfDay(half, match));
      return words.filter(Boolean).join(' ');
    },
  },
  {
    pattern: /(?<![\w.:])(\d{1,2})\s?([AaPp])(?:\.[Mm]\.?|[Mm])(?![A-Za-z])/g,
    say: (match) => {
      const [, hour = '', half = ''] = match;
      if (Number(hour) > 12 || Number(hour) === 0) return undefined;
      return `${englishCardinal(hour)} ${halfOfDay(half, match)}`;
    },
  },
  {
    // Not a time: a result or a ratio ("3:1"), or minutes and seconds ("25:30")
    pattern: /(?<![\w:.])(\d{1,3}):(\d{1,3})(?![\w:]|\.\d)/g,
    say: ([, first, second = '']) => `${first} ${second.length === 2 ? '' : 'to '}${second}`,
  },
];

/** Returns "AM" or "PM" as letters to spell. A dot that also ends the sentence is kept. */
function halfOfDay(half: string, match: RegExpExecArray): string {
  const letters = spelt(half.toUpperCase()) + spelt('M');
  const rest = match.input.slice(match.index + match[0].length);
  const endsSentence = match[0].endsWith('.') && /^["”’')\]]*\s*$/.test(rest.slice(0, 8));
  return endsSentence ? `${letters}.` : letters;
}
