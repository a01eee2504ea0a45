import { expect, it } from 'vitest';
import { dateTime } from '../../../../src/platform/http/validation/date-time.js';
import { validationErrorsOf } from '../../../../src/platform/http/validation/validation-errors.js';

it.each([
  ['2026-02-10T12:00:00Z', '2026-02-10T12:00:00.000Z'],
  ['2026-02-10T12:00:00+02:00', '2026-02-10T10:00:00.000Z'],
  ['2026-02-10T12:00', '2026-02-10T12:00:00.000Z'],
  ['2026-02-10', '2026-02-10T00:00:00.000Z'],
])('%s is parsed', (text, expected) => {
  expect(dateTime().parse(text)).toEqual(new Date(expected));
});

it.each(['0.5', '2026-02-30', '2026-13-01', 'tomorrow', ''])('%j is rejected', (text) => {
  const result = dateTime().safeParse(text);
  expect(validationErrorsOf('query', text, result.error?.issues ?? [])).toMatchObject([
    { type: 'datetime_parsing', input: text },
  ]);
});
