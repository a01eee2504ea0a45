import type { SpokenForm } from '../../aligned-text.js';
import { FRACTION, fractionOf } from './fractions.js';
import { type Gender, type Grammar, type Noun, noun } from './grammar.js';
import { ALONE, anyOf, contextOf, counted, NUMBER } from './number-text.js';

/** CLDR name of each unit sign. Source: ECMA-402, table of sanctioned units. */
const UNITS: Readonly<Record<string, string>> = {
  km: 'kilometer',
  m: 'meter',
  cm: 'centimeter',
  mm: 'millimeter',
  kg: 'kilogram',
  g: 'gram',
  l: 'liter',
  L: 'liter',
  ml: 'milliliter',
  mL: 'milliliter',
  ha: 'hectare',
  mi: 'mile',
  mph: 'mile-per-hour',
  ft: 'foot',
  lb: 'pound',
  lbs: 'pound',
  'km/h': 'kilometer-per-hour',
  'km/s': 'kilometer-per-second',
  'Mbit/s': 'megabit-per-second',
  'Gbit/s': 'gigabit-per-second',
  'm/s': 'meter-per-second',
  '°C': 'celsius',
  '° C': 'celsius',
  '°F': 'fahrenheit',
  '°': 'degree',
  h: 'hour',
  min: 'minute',
  // Requires a space, because a plural may also end in s.
  ' s': 'second',
  ms: 'millisecond',
  kB: 'kilobyte',
  KB: 'kilobyte',
  MB: 'megabyte',
  GB: 'gigabyte',
  TB: 'terabyte',
  '%': 'percent',
};

/** Returns the rules that write units in words: degrees, per cent, kilometres. */
export function unitRules(grammar: Grammar): SpokenForm[] {
  const names = { ...UNITS, ...grammar.unitSigns };
  const signs = anyOf([...Object.keys(names), ...grammar.moreUnits.keys()]);
  const known = new Map(grammar.moreUnits);
  const nounOf = (sign: string): Noun => {
    const unit = known.get(sign) ?? fromCldr(names[sign] ?? 'percent', grammar);
    known.set(sign, unit);
    return unit;
  };
  return [
    {
      pattern: new RegExp(`${ALONE}(?<!/)${FRACTION}\\s?(${signs})(?![\\p{L}\\d/])`, 'gu'),
      needs: '/',
      say: (match) => {
        const [, whole, over = '', under = '', sign = ''] = match;
        const where = { grammar, before: contextOf(match).before };
        return fractionOf({ whole, over, under }, nounOf(sign), where);
      },
    },
    {
      pattern: new RegExp(`${ALONE}(${NUMBER})\\s?(${signs})(?![\\p{L}\\d/])`, 'gu'),
      say: (match) =>
        counted(match[1]!, nounOf(match[2]!), { grammar, before: contextOf(match).before }),
    },
  ];
}

/** Returns the name of a unit in the language of the grammar. @param unit - its CLDR name */
export function fromCldr(unit: string, grammar: Grammar): Noun {
  const format = new Intl.NumberFormat(grammar.language, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
  });
  const behind = (value: number) =>
    format
      .formatToParts(value)
      .filter(({ type }) => type === 'unit')
      .map(({ value: text }) => text)
      .join(' ');
  const isSlavic = grammar.genitive !== undefined;
  const forms = [behind(1), behind(2), behind(5), behind(isSlavic ? 1.5 : 2)];
  const gender: Gender = grammar.genderOf?.(forms[0]!.split(' ')[0]!, 1) ?? 'm';
  return noun(forms.join('|'), gender);
}
