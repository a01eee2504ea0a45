import { afterAll, describe, expect, it } from 'vitest';
import { startTwilio } from '../../support/fakes/carrier-servers.js';
import { ringingFields, withTwilioPlane } from '../../support/harness/app/twilio-app.js';

const VOICE = '/telephony/twilio/voice';
const twilio = await startTwilio();
afterAll(() => twilio.close());

describe('behind a proxy that is trusted', () => {
  const plane = withTwilioPlane({ twilio, trustProxy: true });

  it('a webhook is believed by the URL that the proxy tells of, and by no other', async () => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'calls.example.com' };
    const call = ringingFields({ To: '+14155559999' });
    const signedUrl = `https://calls.example.com${VOICE}`;
    const told = await plane.tell(VOICE, call, { signedUrl, headers });
    expect([told.status, told.text]).toEqual([200, expect.stringContaining('<Reject')]);
    expect((await plane.tell(VOICE, call, { headers })).status).toBe(200);
    const other = `https://other.example.com${VOICE}`;
    expect((await plane.tell(VOICE, call, { signedUrl: other, headers })).status).toBe(403);
  });
});

describe('without an account', () => {
  const plane = withTwilioPlane({ twilio, isConfigured: false });

  it('nothing can be checked, so nothing is believed: 409, and what is missing is named', async () => {
    const { status, text } = await plane.tell(VOICE, ringingFields({ To: '+14155559999' }));
    expect([status, JSON.parse(text).code]).toEqual([409, 'NOT_CONFIGURED']);
    expect(JSON.parse(text).error).toContain('TWILIO_AUTH_TOKEN');
  });
});
