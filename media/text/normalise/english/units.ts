import type { SpokenForm } from '../../aligned-text.js';
import { anyOf } from '../rules/number-text.js';
import type { NormaliserTables } from './default-tables.js';
import { isOne, NUMBER } from './number-words.js';

const SCALES: ReadonlyMap<string, string> = new Map([
  ['C', ' Celsius'],
  ['F', ' Fahrenheit'],
]);

/** Units that the voice's tables do not have. */
const MORE_UNITS: Readonly<Record<string, readonly [string, string]>> = {
  g: ['gram', 'grams'],
  L: ['liter', 'liters'],
  V: ['volt', 'volts'],
  kV: ['kilovolt', 'kilovolts'],
  W: ['watt', 'watts'],
  dB: ['decibel', 'decibels'],
  'm²': ['square meter', 'square meters'],
  'km²': ['square kilometer', 'square kilometers'],
  kbps: ['kilobits per second', 'kilobits per second'],
  bpm: ['beats per minute', 'beats per minute'],
  ' s': ['second', 'seconds'],
};

/** Measures with their unit's name: degrees, per cent, kilometres. */
export function units(tables: NormaliserTables): SpokenForm[] {
  const names = { ...MORE_UNITS, ...tables.units };
  return [
    // 5'11", 6 ft 2 in
    {
      pattern: /(?<![\w.])(\d)['’′]\s?(\d{1,2})(?:["”″]|'')/g,
      say: ([, feet, inches]) => `${feet} foot ${inches}`,
    },
    { pattern: /(?<=\d ?(?:ft|feet|foot) \d{1,2}) ?in\b/g, say: () => ' inches' },
    {
      pattern: new RegExp(`(?<![\\w.])(-?${NUMBER})\\s?°\\s?([CF])?(?!\\w)`, 'g'),
      say: ([, number = '', scale = '']) =>
        `${number} ${isOne(number) ? 'degree' : 'degrees'}${SCALES.get(scale) ?? ''}`,
    },
    {
      pattern: new RegExp(`(?<![\\w.])(-?${NUMBER})\\s?(${anyOf(Object.keys(names))})(?!\\w)`, 'g'),
      say: ([, number = '', unit = '']) => {
        const [one, many] = names[unit] ?? [unit, unit];
        return `${number} ${isOne(number) ? one : many}`;
      },
    },
    { pattern: /(?<=\d)\s?%/g, say: () => ' percent' },
  ];
}
