import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { JsonWebTokens } from '../../../src/features/auth/json-web-tokens.js';
import { SecretKeys } from '../../../src/platform/secrets/secret-keys.js';

const ISSUER = 'https://login.example';
const AUDIENCE = 'parley';
const ACCOUNT = '11111111-1111-4111-8111-111111111111';

/** A token issuer whose key set is served on loopback with this status. */
async function setUp(alg: string, status = 200) {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg };
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ keys: [jwk] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  const tokens = new JsonWebTokens(new SecretKeys(['the secret of the tests']), {
    jwksUrl,
    issuer: ISSUER,
    audience: AUDIENCE,
  });
  const sign = (claims: Record<string, unknown> = {}, key = privateKey) =>
    new SignJWT({ scope: 'agents calls', iss: ISSUER, aud: AUDIENCE, ...claims })
      .setProtectedHeader({ alg, kid: 'one' })
      .setSubject(ACCOUNT)
      .setExpirationTime('1h')
      .sign(key);
  return { tokens, sign, close, jwk };
}

describe('tokens of an external issuer', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])('are accepted with a signature by %s', async (alg) => {
    const { tokens, sign } = await setUp(alg);
    expect(await tokens.verify(await sign())).toMatchObject({
      accountId: ACCOUNT,
      scopes: ['agents', 'calls'],
    });
  });

  it('are rejected for another issuer, audience, key or algorithm', async () => {
    const { tokens, sign, jwk } = await setUp('ES256');
    const { privateKey: another } = await generateKeyPair('ES256');
    const bySecret = new SignJWT({ scope: '*', iss: ISSUER, aud: AUDIENCE, sub: ACCOUNT })
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(JSON.stringify(jwk)));
    const refused = {
      'another issuer': await sign({ iss: 'https://elsewhere.example' }),
      'another audience': await sign({ aud: 'somebody' }),
      'another key': await sign({}, another),
      'the public key as a secret': await bySecret,
    };
    for (const [name, token] of Object.entries(refused)) {
      expect(await tokens.verify(token), name).toBeUndefined();
    }
  });

  it('cannot be validated while the key set is unavailable, which is reported as such', async () => {
    const { tokens, sign, close } = await setUp('ES256');
    const token = await sign();
    close();
    await expect(tokens.verify(token)).rejects.toMatchObject({ code: 'OVERLOADED' });
    const broken = await setUp('ES256', 500);
    const another = broken.tokens.verify(await broken.sign());
    await expect(another).rejects.toMatchObject({ code: 'OVERLOADED' });
  });
});
