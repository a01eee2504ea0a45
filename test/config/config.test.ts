import { availableParallelism, homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.js';

/** The error message of a start with these settings. */
function sentence(environment: Record<string, string>): string {
  try {
    readConfig(environment);
  } catch (error) {
    expect(error).toMatchObject({ name: 'StartError' });
    return (error as Error).message;
  }
  throw new Error('these settings are accepted');
}

describe('settings', () => {
  it('have the documented defaults', () => {
    expect(readConfig({})).toMatchObject({
      PORT: 8080,
      HOST: '127.0.0.1',
      DATA_DIR: resolve('data'),
      TRUST_PROXY: false,
      CPU_PERMITS: Math.max(1, availableParallelism() - 1),
      GATEWAYS: 1,
      LOG_LEVEL: 'info',
      MODEL_PREFIX: 'svc',
      TEXT_LIMIT: 5_000,
      REQUESTS_PER_MINUTE: 1_000,
      FAILED_AUTHS_PER_MINUTE: 20,
      CONCURRENT_CALLS: 100,
      OUTBOUND_ALLOWED_HOSTS: [],
      LLM_MODELS: [],
      MODELS_CACHE: join(homedir(), '.cache/parley/models'),
    });
  });

  it.each(['http://idp.example.com/jwks', 'http://10.0.0.5/jwks', 'ftp://127.0.0.1/jwks'])(
    'reject %s as a JWKS URL, because it must be protected against tampering',
    (url) => {
      const jwt = { JWT_JWKS_URL: url, JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' };
      expect(sentence(jwt)).toContain('JWT_JWKS_URL must be');
    },
  );

  it.each(['https://idp.example.com/jwks', 'http://127.0.0.1:9/jwks', 'http://[::1]:9/jwks'])(
    'accept %s as a JWKS URL',
    (url) => {
      const jwt = { JWT_JWKS_URL: url, JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' };
      expect(readConfig(jwt)).toMatchObject({ JWT_JWKS_URL: url });
    },
  );

  it('reject a key that is invalid in a header, without printing it', () => {
    const fault = sentence({ LLM_API_KEY: 'one\r\ntwo', METRICS_TOKEN: 'too short' });
    expect(fault).toContain('LLM_API_KEY must be a key without spaces');
    expect(fault).toContain('METRICS_TOKEN must be');
    expect(fault).not.toContain('two');
  });

  it('treat an empty variable as unset', () => {
    expect(readConfig({ PORT: '', PUBLIC_URL: '' })).toMatchObject({ PORT: 8080 });
  });

  it('are parsed to the types that the program uses', () => {
    expect(
      readConfig({
        PORT: '0',
        PUBLIC_URL: 'https://voice.example.org/',
        TRUST_PROXY: 'loopback, 10.0.0.0/8',
        OUTBOUND_ALLOWED_HOSTS: 'crm.local, 10.1.0.0/16',
        LLM_BASE_URL: 'http://127.0.0.1:11434/v1',
        LLM_MODELS: 'small,large',
        PARLEY_CACHE: '/var/cache/parley',
      }),
    ).toMatchObject({
      PORT: 0,
      PUBLIC_URL: 'https://voice.example.org',
      TRUST_PROXY: ['loopback', '10.0.0.0/8'],
      OUTBOUND_ALLOWED_HOSTS: ['crm.local', '10.1.0.0/16'],
      LLM_MODELS: ['small', 'large'],
      MODELS_CACHE: '/var/cache/parley/models',
    });
    expect(readConfig({ TRUST_PROXY: '2' }).TRUST_PROXY).toBe(2);
  });

  it('that are invalid are all named in one message', () => {
    const text = sentence({ PORT: '70000', LOG_LEVEL: 'loud', TRUST_PROXY: 'everybody' });
    expect(text).toBe(
      'Cannot start with these settings: PORT must be a port from 0 to 65535; ' +
        'TRUST_PROXY must be true, false, a number of proxies, or a comma list of addresses or networks; ' +
        'LOG_LEVEL must be trace, debug, info, warn, error, fatal or silent.',
    );
  });

  it.each([
    [{ PORT: '80a' }, /PORT/],
    [{ PORT: '1e3' }, /PORT/],
    [{ CPU_PERMITS: '0' }, /CPU_PERMITS/],
    [
      { GATEWAYS: '0' },
      /^Cannot start with these settings: GATEWAYS must be a whole number from 1 to 32\.$/,
    ],
    [{ GATEWAYS: 'many' }, /GATEWAYS must be a whole number/],
    [{ PUBLIC_URL: 'voice.example.org' }, /PUBLIC_URL must be an http or https URL/],
    [{ DATABASE_URL: 'mysql://x' }, /DATABASE_URL must be a postgres:\/\/ URL/],
    [{ OUTBOUND_ALLOWED_HOSTS: '10.0.0.0/99' }, /OUTBOUND_ALLOWED_HOSTS/],
    [{ LLM_MODELS: 'x' }, /LLM_MODELS needs LLM_BASE_URL/],
    [{ MODELS_DIR: '/no/such/bundle' }, /MODELS_DIR must be .+\/no\/such\/bundle is not a folder/],
    [{ JWT_ISSUER: 'x' }, /must be set together/],
    [{ LIVEKIT_URL: 'wss://x' }, /LIVEKIT_API_SECRET must be set together/],
    [{ LIVEKIT_API_KEY: 'x', LIVEKIT_API_SECRET: 'x' }, /LIVEKIT_URL.*must be set together/],
    [{ LIVEKIT_URL: 'ftp://x' }, /LIVEKIT_URL must be/],
  ])('reject %j', (environment, expected) => {
    expect(sentence(environment)).toMatch(expected);
  });

  it('never print a secret', () => {
    expect(sentence({ SECRET_KEY: 'hunter2' })).toMatch(/SECRET_KEY must be/);
    expect(sentence({ SECRET_KEY: 'hunter2' })).not.toContain('hunter2');
    expect(sentence({ DATABASE_URL: 'http://u:hunter2@x' })).not.toContain('hunter2');
  });
});
