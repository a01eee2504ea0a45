import { afterEach, describe, expect, it, vi } from 'vitest';
import { SecretKeys } from '../../../src/platform/secrets/secret-keys.js';
import { SignedTokens } from '../../../src/platform/secrets/signed-tokens.js';

const OLD = 'the old secret of the tests';
const NEW = 'the new secret of the tests';

const signing = (secrets: string[], purpose: 'call-tokens' | 'signed-urls' = 'call-tokens') =>
  new SignedTokens(new SecretKeys(secrets), purpose);

describe('signed tokens', () => {
  afterEach(() => vi.restoreAllMocks());

  it('are valid after a rotation of the secret, until the old one is removed', async () => {
    const token = await signing([OLD]).signJwt({ sub: 'a' }, '1m');
    const signature = signing([OLD]).signText('a text');
    expect(await signing([NEW, OLD]).verifyJwt(token)).toMatchObject({ sub: 'a' });
    expect(signing([NEW, OLD]).isTextSigned('a text', signature)).toBe(true);
    expect(await signing([NEW]).verifyJwt(token)).toBeUndefined();
    expect(signing([NEW]).isTextSigned('a text', signature)).toBe(false);
  });

  it('are valid for one purpose only', async () => {
    const token = await signing([NEW]).signJwt({ sub: 'a' }, '1m');
    const signature = signing([NEW]).signText('a text');
    expect(await signing([NEW], 'signed-urls').verifyJwt(token)).toBeUndefined();
    expect(signing([NEW], 'signed-urls').isTextSigned('a text', signature)).toBe(false);
  });

  it('are invalid for another audience, after their expiry and after a change', async () => {
    const tokens = signing([NEW]);
    const token = await tokens.signJwt({ aud: 'one' }, '1m');
    expect(await tokens.verifyJwt(token, { audience: 'one' })).toMatchObject({ aud: 'one' });
    expect(await tokens.verifyJwt(token, { audience: 'two' })).toBeUndefined();
    const expired = await tokens.signJwt({}, new Date(Date.now() - 10_000));
    expect(await tokens.verifyJwt(expired)).toBeUndefined();
    expect(await tokens.verifyJwt(expired, { clockTolerance: '1m' })).toBeDefined();
    expect(await tokens.verifyJwt('no token')).toBeUndefined();
    expect(tokens.isTextSigned('another text', tokens.signText('a text'))).toBe(false);
  });

  it('are verified with one key if they have expired', async () => {
    const tokens = signing([NEW, OLD]);
    const token = await tokens.signJwt({}, new Date(Date.now() - 10_000));
    const verify = vi.spyOn(globalThis.crypto.subtle, 'verify');
    expect(await tokens.verifyJwt(token)).toBeUndefined();
    expect(verify).toHaveBeenCalledTimes(1);
  });
});
