import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MediaTokens } from '../../../src/channels/twilio/media-tokens.js';
import { SecretKeys } from '../../../src/platform/secrets/secret-keys.js';
import '../../support/harness/process/property-seed.js';

const PASS = { callId: randomUUID(), carrierCallId: 'CA0001' };
const secrets = new SecretKeys(['the secret of the tests']);

it('a media token is valid for its call for a minute', () => {
  let now = 1_000_000;
  const tokens = new MediaTokens(secrets, () => now);
  const token = tokens.issue(PASS);
  expect(token).toMatch(/^[\w-]+\.[\w-]+$/);
  now += 59_000;
  expect(tokens.read(token)).toEqual(PASS);
  now += 2_000;
  expect(tokens.read(token)).toBeUndefined();
});

it('a media token stays valid after a rotation of the secret, and is invalid with another secret', () => {
  const token = new MediaTokens(secrets).issue(PASS);
  const rotated = new SecretKeys(['a newer secret of them', 'the secret of the tests']);
  expect(new MediaTokens(rotated).read(token)).toEqual(PASS);
  const other = new SecretKeys(['the secret of others']);
  expect(new MediaTokens(other).read(token)).toBeUndefined();
});

it('a modified media token is invalid', () => {
  const tokens = new MediaTokens(secrets);
  const token = tokens.issue(PASS);
  for (const wrong of [
    '',
    '.',
    'a.b',
    `${token}.x`,
    `x${token}`,
    token.slice(1),
    'a'.repeat(5_000),
  ]) {
    expect(tokens.read(wrong)).toBeUndefined();
  }
  fc.assert(
    fc.property(fc.nat(token.length - 2), fc.constantFrom('A', 'b', '7', '.', ' '), (at, mark) => {
      // The last character of base64 may contain unused bits.
      fc.pre(token[at] !== mark && at !== token.length - 1);
      expect(tokens.read(token.slice(0, at) + mark + token.slice(at + 1))).toBeUndefined();
    }),
  );
});
