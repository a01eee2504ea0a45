import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSignedByTwilio, signTwilio } from '../../../src/channels/twilio/twilio-signature.js';
import '../../support/harness/process/property-seed.js';

const TOKEN = 'test_auth_token';
const VOICE = 'https://gw.example.test/telephony/twilio/voice';
const FIELDS = Object.entries({
  AccountSid: 'AC0001',
  CallSid: 'CA0001',
  CallStatus: 'ringing',
  Direction: 'inbound',
  From: '+15550100',
  To: '+15550199',
});

describe('Twilio signature', () => {
  it('equals the test vectors', () => {
    const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
    const fields = Object.entries({
      To: '+18005551212',
      CallSid: 'CA1234567890ABCDE',
      Caller: '+14158675309',
      Digits: '1234',
      From: '+14158675309',
    });
    expect(signTwilio('12345', url, fields)).toBe('RSOYDt4T1cUTdK1PDd93/VVr8B8=');
    expect(signTwilio(TOKEN, VOICE, FIELDS)).toBe('2IyDVqciwspgmrDrV1mjex8dSbk=');
    expect(signTwilio(TOKEN, 'wss://gw.example.test/telephony/twilio/stream')).toBe(
      '0AScfpNaIx1IuWrzFx1pgZSoSyQ=',
    );
    const hash = '93a23971a914e5eacbf0a8d25154cda309c3c1c72fbb9914d47c60f3cb681588';
    expect(signTwilio(TOKEN, `https://gw.example.test/hook?bodySHA256=${hash}`)).toBe(
      'dREDyqnMELWGyC183coa3w8foJw=',
    );
  });

  it('contains duplicate values of a parameter once, sorted, for any order of parameters', () => {
    const fields = [...FIELDS, ['To', '+1'], ['To', '+15550199']] as const;
    const text = `${VOICE}AccountSidAC0001CallSidCA0001CallStatusringingDirectioninboundFrom+15550100To+1To+15550199`;
    expect(signTwilio(TOKEN, VOICE, fields)).toBe(signTwilio(TOKEN, text));
    expect(signTwilio(TOKEN, VOICE, [...fields].reverse())).toBe(signTwilio(TOKEN, text));
  });
});

describe('request verification', () => {
  const isSigned = (signed: string, url: string) =>
    isSignedByTwilio(TOKEN, signTwilio(TOKEN, signed, FIELDS), { url, fields: FIELDS });

  it('accepts any notation of its URL that Twilio uses', () => {
    for (const [signed, ours] of [
      [VOICE, VOICE],
      ['https://gw.example.test:443/a?b=c', 'https://gw.example.test/a?b=c'],
      ['https://gw.example.test/a?b=c', 'https://gw.example.test:8443/a?b=c'],
      ['http://gw.example.test:80/a', 'http://gw.example.test/a'],
      ['https://gw.example.test/a?b=it%27s%20c', "https://gw.example.test/a?b=it's+c"],
      ['https://gw.example.test/s', 'wss://gw.example.test/s'],
      ['https://gw.example.test/s/', 'wss://gw.example.test/s'],
      ['wss://gw.example.test:443/s', 'wss://gw.example.test/s'],
      ['wss://gw.example.test/s/', 'wss://gw.example.test/s'],
      ['wss://gw.example.test/s', 'wss://gw.example.test/s/'],
    ] as const) {
      expect(isSigned(signed, ours), `${signed} as ${ours}`).toBe(true);
    }
  });

  it('rejects another path, host, scheme or query', () => {
    for (const ours of [
      'https://gw.example.test/telephony/twilio/status',
      'https://evil.example.test/telephony/twilio/voice',
      'http://gw.example.test/telephony/twilio/voice',
      `${VOICE}?a=b`,
      `${VOICE}/`,
      'no url',
    ]) {
      expect(isSigned(VOICE, ours), ours).toBe(false);
    }
  });

  it('rejects another field, token or signature', () => {
    const signature = signTwilio(TOKEN, VOICE, FIELDS);
    const request = { url: VOICE, fields: FIELDS };
    expect(isSignedByTwilio(TOKEN, signature, request)).toBe(true);
    expect(isSignedByTwilio('another', signature, request)).toBe(false);
    for (const wrong of [
      '',
      'x',
      signature.slice(0, -1),
      signature.toLowerCase(),
      `${signature} `,
    ]) {
      expect(isSignedByTwilio(TOKEN, wrong, request)).toBe(false);
    }
    const fields = FIELDS.map(([name, value]) => [name, name === 'From' ? '+1' : value] as const);
    expect(isSignedByTwilio(TOKEN, signature, { url: VOICE, fields })).toBe(false);
  });

  it('accepts a body that is no form by the hash in its URL', () => {
    const body = Buffer.from('{"hello":"world"}');
    const url = `https://gw.example.test/hook?bodySHA256=${createHash('sha256').update(body).digest('hex')}`;
    const signature = 'dREDyqnMELWGyC183coa3w8foJw=';
    expect(isSignedByTwilio(TOKEN, signature, { url, body })).toBe(true);
    const other = Buffer.from('{"hello":"you"}');
    expect(isSignedByTwilio(TOKEN, signature, { url, body: other })).toBe(false);
    const bare = 'https://gw.example.test/hook';
    expect(isSignedByTwilio(TOKEN, signTwilio(TOKEN, bare), { url: bare, body })).toBe(false);
  });

  it('handles any signature and URL without an exception', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (signature, url) => {
        expect(isSignedByTwilio(TOKEN, signature, { url, fields: FIELDS })).toBe(false);
      }),
    );
  });
});
