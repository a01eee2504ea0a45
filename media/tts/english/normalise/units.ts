import type { SpokenForm } from '../../traced-text.js';
import type { NormaliserTables } from '../assets.js';
import { anyOf, isOne, NUMBER } from './patterns.js';

const SCALES: ReadonlyMap<string, string> = new Map([
  ['C', ' Celsius'],
  ['F', ' Fahrenheit'],
]);

/** Measures with their unit's name: degrees, per cent, kilometres. */
export function units(tables: NormaliserTables): SpokenForm[] {
  return [
    {
      pattern: new RegExp(`(?<![\\w.])(-?${NUMBER})\\s?°\\s?([CF])?(?!\\w)`, 'g'),
      say: ([, number = '', scale = '']) =>
        `${number} ${isOne(number) ? 'degree' : 'degrees'}${SCALES.get(scale) ?? ''}`,
    },
    {
      pattern: new RegExp(
        `(?<![\\w.])(-?${NUMBER})\\s?(${anyOf(Object.keys(tables.units))})(?!\\w)`,
        'g',
      ),
      say: ([, number = '', unit = '']) => {
        const [one, many] = tables.units[unit] ?? [unit, unit];
        return `${number} ${isOne(number) ? one : many}`;
      },
    },
    { pattern: /(?<=\d)\s?%/g, say: () => ' percent' },
  ];
}
