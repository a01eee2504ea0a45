import type { SpokenForm } from '../../aligned-text.js';
import type { Grammar } from './grammar.js';
import { ALONE, anyOf, contextOf, counted } from './number-text.js';
import { fromCldr } from './unit-rules.js';

/** Returns the rules for times of day: "14:30" and other notations of the language. */
export function clockRules(grammar: Grammar): SpokenForm[] {
  const { suffixes, prefixes, hasHourLetter } = grammar.clock;
  const suffix = suffixes.length > 0 ? `(?:\\s?(?:${anyOf(suffixes)})(?!\\p{L}))` : '(?:(?!))';
  const say = (match: RegExpExecArray) => {
    const [, hour = '', minute = '0', second = '0'] = match;
    const time = { hour: Number(hour), minute: Number(minute), before: contextOf(match).before };
    const isTime = time.hour <= 24 && time.minute <= 59 && Number(second) <= 59;
    if (!isTime || match[3] === undefined) return isTime ? grammar.time(time) : undefined;
    const seconds = counted(String(Number(second)), fromCldr('second', grammar), {
      grammar,
      before: time.before,
    });
    return `${grammar.time(time)} ${grammar.words.and} ${seconds}`;
  };
  const rule = (pattern: string): SpokenForm => ({ pattern: new RegExp(pattern, 'gu'), say });
  const separator = hasHourLetter ? '(?::| ?h ?|\\.)' : '[:.]';
  const rules: SpokenForm[] = [
    {
      // 9:00-17:00
      pattern: new RegExp(
        `${ALONE}(\\d{1,2}${separator}\\d{2})(${suffix})?\\s?[-–]\\s?(?=\\d{1,2}${separator}\\d{2}(?!\\d|\\.\\d))`,
        'gu',
      ),
      say: ([, from, named = '']) => `${from}${named} ${grammar.words.to} `,
    },
    rule(`${ALONE}(\\d{1,2}):(\\d{2})(?::(\\d{2}))?(?![\\d:])${suffix}?`),
    rule(`${ALONE}(\\d{1,2})\\.(\\d{2})${suffix}`),
  ];
  if (prefixes.length > 0) {
    rules.push(
      rule(`(?<=(?<!\\p{L})(?:${anyOf(prefixes)}) )(\\d{1,2})\\.(\\d{2})(?![\\d.,]*\\d)${suffix}?`),
    );
  }
  if (hasHourLetter) {
    // A number before "min" is a duration, which `unitRules` rewrites.
    const isTime = '(?! ?(?:\\d+ ?)?min(?!\\p{L}))';
    const start = prefixes.length > 0 ? `(?<=(?<!\\p{L})(?:${anyOf(prefixes)}) )` : ALONE;
    rules.push(
      {
        pattern: new RegExp(`${ALONE}(\\d{1,2}) ?h ?(\\d{1,2}) ?min(?!\\p{L})`, 'gu'),
        say: ([, hours, minutes]) => `${hours} h ${minutes} min`,
      },
      rule(`${ALONE}(\\d{1,2}) ?h ?(\\d{2})(?![\\p{L}\\d])${isTime}`),
      rule(`${start}(\\d{1,2}) ?h(?![\\p{L}\\d/])${isTime}`),
    );
  }
  return rules;
}
