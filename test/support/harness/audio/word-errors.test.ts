import { expect, it } from 'vitest';
import { wordErrors } from './word-errors.js';

it.each([
  ['the cat sat', 'The cat sat.', 0, 3],
  ['the cat sat', 'a cat sat down', 2, 3],
  ['it costs forty two dollars and fifty cents', 'It costs $42.50.', 0, 7],
  ['in nineteen ninety nine', 'in 1999', 0, 4],
  ['one thousand nine hundred ninety nine', '1,999', 0, 6],
  ['the twenty first of may', 'The 21st of May', 0, 5],
  ['call five five five zero one', 'call 55501', 0, 6],
  ['at half past nine or nine thirty am', 'at half past 9 or 9:30 a.m.', 0, 8],
  ['twelve point five percent', '12.5%', 0, 4],
  ['nothing', '', 1, 1],
])('compares %j with %j', (wanted, found, errors, words) => {
  expect(wordErrors(wanted, found)).toEqual({ errors, words });
});
