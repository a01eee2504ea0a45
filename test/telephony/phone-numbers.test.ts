import { expect, it } from 'vitest';
import { readPhoneNumber } from '../../src/telephony/phone-numbers.js';

it.each([
  ['+14155550100', '+14155550100'],
  ['14155550100', '+14155550100'],
  ['+1 (415) 555-0100', '+14155550100'],
  ['sip:+14155550100@example.pstn.twilio.com', '+14155550100'],
  ['sip:14155550100@10.0.0.1:5060;transport=tls', '+14155550100'],
  ['SIPS:%2B14155550100@example.test', '+14155550100'],
])('reads %s as %s', (text, number) => {
  expect(readPhoneNumber(text)).toBe(number);
});

it.each([
  '',
  'anonymous',
  'Restricted',
  '+266696687',
  '+7378742833',
  '+2562533',
  '+8656696',
  '+86282452253',
  'sip:ann@example.test',
  'sip:anonymous@anonymous.invalid',
  'client:ann',
  '+0123',
  '+1234567890123456',
  `+${'1'.repeat(1_000)}`,
])('finds no number in %s', (text) => {
  expect(readPhoneNumber(text)).toBeUndefined();
});
