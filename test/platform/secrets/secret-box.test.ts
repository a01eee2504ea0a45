import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SealError, SecretBox } from '../../../src/platform/secrets/secret-box.js';
import { SecretKeys } from '../../../src/platform/secrets/secret-keys.js';
import '../../support/harness/process/property-seed.js';

const OLD = 'an old secret of the service';
const NEW = 'a new secret of the service';
const boxOf = (...secrets: string[]) => new SecretBox(new SecretKeys(secrets));

describe('encrypted secret', () => {
  it('decrypts to the same text, and each encryption differs', () => {
    const box = boxOf(NEW);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const sealed = box.seal(text, 'here');
        expect(box.open(sealed, 'here')).toBe(text);
        expect(box.seal(text, 'here')).not.toBe(sealed);
      }),
    );
  });

  it('decrypts in its own context only', () => {
    const sealed = boxOf(NEW).seal('word', 'agent 1');
    expect(() => boxOf(NEW).open(sealed, 'agent 2')).toThrow(SealError);
  });

  it('does not decrypt after a change of any character', () => {
    const box = boxOf(NEW);
    const sealed = box.seal('words', 'here');
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      expect(() => box.open(changed, 'here'), `character ${at}`).toThrow(SealError);
    }
  });

  it('decrypts after a rotation while the old secret is listed', () => {
    const sealed = boxOf(OLD).seal('word', 'here');
    const rotating = boxOf(NEW, OLD);
    expect(rotating.open(sealed, 'here')).toBe('word');
    expect(rotating.isOutdated(sealed)).toBe(true);
    expect(rotating.isOutdated(rotating.seal('word', 'here'))).toBe(false);
    expect(boxOf(NEW).open(rotating.seal('word', 'here'), 'here')).toBe('word');
    expect(() => boxOf(NEW).open(sealed, 'here')).toThrow(/SECRET_KEY/);
  });
});
