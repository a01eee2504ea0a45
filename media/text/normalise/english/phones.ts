import type { SpokenForm } from '../../aligned-text.js';
import { digitByDigit } from './number-words.js';

const NAMED_CODE =
  'code|passcode|password|PIN|ZIP|postcode|OTP|CVV|CVC|IBAN|account|order|booking|reservation|reference|ref|ticket|tracking|confirmation|case|serial|invoice|extension|ext|ID';

/** Rules for identifying numbers, which are read digit by digit: "your code is 4821", "IL 62704". */
export const CODES: readonly SpokenForm[] = [
  {
    pattern: new RegExp(
      `\\b((?:${NAMED_CODE})\\.?(?: (?:code|number|ID))?(?: is| was|:)?) #?(\\d{3,16})(?![\\w%]|[.,:/-]\\d)`,
      'gi',
    ),
    say: ([, name = '', digits = '']) => `${name} ${groupsOf(digits)}`,
  },
  {
    pattern: /\b([A-Z]{2}) (\d{5})(?:-(\d{4}))?(?![\w-]|[.,]\d)/g,
    say: ([, state, code = '', more]) =>
      `${state} ${digitByDigit(code)}${more ? `, ${digitByDigit(more)}` : ''}`,
  },
];

/** Rules for phone numbers, which are read digit by digit with a pause between groups. */
export const PHONES: readonly SpokenForm[] = [
  {
    // +44 20 7946 0958, +1 (555) 123-4567
    pattern: /(?<![\w+])\+\d{1,3}(?:[ .-]?\(?\d{1,5}\)?){1,6}(?![\w-])/g,
    say: ([found]) =>
      (found.match(/\d/g)?.length ?? 0) >= 7 ? `plus ${groupsOf(found)}` : undefined,
  },
  {
    // 1-800-555-1234, (555) 123-4567, 555.123.4567, 555-1234
    pattern:
      /(?<![\w.-])(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[.-])\d{3}[ .-]\d{4}(?![\w-])|(?<![\w.-])\d{3}-\d{4}(?![\w-]|\.\d)/g,
    say: ([found]) => groupsOf(found),
  },
  {
    // 020 7946 0958, 07700 900123, 555 123 4567
    pattern: /(?<![\w.,-])(?:0\d{2,4} \d{3,4} ?\d{3,4}|\d{3} \d{3} \d{4})(?![\w-]|[.,]\d)/g,
    say: ([found]) => groupsOf(found),
  },
  {
    // 1-800-FLOWERS
    pattern: /(?<![\w-])1-(\d{3})-(?=[A-Z])/g,
    say: ([found]) => `${groupsOf(found)}, `,
  },
  {
    // The number of a card
    pattern: /(?<![\w.,-])\d{4}(?:[ -]\d{4}){3,4}(?![\w-])/g,
    say: ([found]) => groupsOf(found),
  },
  {
    // 12-34-56, 123-45-6789: other codes in groups
    pattern: /(?<![\w.-])\d{2,6}(?:-\d{2,6}){2,5}(?![\w-])/g,
    say: ([found]) => groupsOf(found),
  },
];

function groupsOf(number: string): string {
  return (number.match(/\d+/g) ?? [])
    .flatMap((group) => (group.length > 5 ? (group.match(/\d{1,3}/g) ?? []) : [group]))
    .map((group) => (group === '800' ? 'eight hundred' : digitByDigit(group)))
    .join(', ');
}
