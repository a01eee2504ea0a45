import type { SpokenForm } from '../../aligned-text.js';
import { anyOf } from '../rules/number-text.js';
import { ENGLISH_TABLES } from '../word-lists/en.js';
import type { NormaliserTables } from '../word-lists/english-tables.js';
import { ENGLISH_NUMBER, isOne } from './number-words.js';

const SCALES: ReadonlyMap<string, string> = new Map([
  ['C', ' Celsius'],
  ['F', ' Fahrenheit'],
]);

/** Returns the rules that write units in words: degrees, per cent, kilometres. */
export function units(tables: NormaliserTables): SpokenForm[] {
  const names: Readonly<Record<string, readonly [string, string]>> = {
    ...ENGLISH_TABLES.moreUnits,
    ...tables.units,
  };
  return [
    // 5'11", 6 ft 2 in
    {
      pattern: /(?<![\w.])(\d)['’′]\s?(\d{1,2})(?:["”″]|'')/g,
      say: ([, feet, inches]) => `${feet} foot ${inches}`,
    },
    { pattern: /(?<=\d ?(?:ft|feet|foot) \d{1,2}) ?in\b/g, say: () => ' inches' },
    {
      pattern: new RegExp(`(?<![\\w.])(-?${ENGLISH_NUMBER})\\s?°\\s?([CF])?(?!\\w)`, 'g'),
      say: ([, number = '', scale = '']) =>
        `${number} ${isOne(number) ? 'degree' : 'degrees'}${SCALES.get(scale) ?? ''}`,
    },
    {
      pattern: new RegExp(
        `(?<![\\w.])(-?${ENGLISH_NUMBER})\\s?(${anyOf(Object.keys(names))})(?!\\w)`,
        'g',
      ),
      say: ([, number = '', unit = '']) => {
        const [one, many] = names[unit] ?? [unit, unit];
        return `${number} ${isOne(number) ? one : many}`;
      },
    },
    { pattern: /(?<=\d)\s?%/g, say: () => ' percent' },
  ];
}
