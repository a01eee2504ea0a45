import { afterAll, describe, expect, it } from 'vitest';
import { startTwilio } from '../../support/fakes/carrier-servers.js';
import { ringingFields, withTwilioPlane } from '../../support/harness/app/twilio-app.js';

const VOICE = '/telephony/twilio/voice';
const twilio = await startTwilio();
afterAll(() => twilio.close());

describe('trusted proxy', () => {
  const plane = withTwilioPlane({ twilio, trustProxy: true });

  it("webhooks are verified with the URL in the proxy's headers only", async () => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'calls.example.com' };
    const call = ringingFields({ To: '+14155559999' });
    const signedUrl = `https://calls.example.com${VOICE}`;
    const response = await plane.postForm(VOICE, call, { signedUrl, headers });
    expect([response.status, response.text]).toEqual([200, expect.stringContaining('<Reject')]);
    expect((await plane.postForm(VOICE, call, { headers })).status).toBe(200);
    const other = `https://other.example.com${VOICE}`;
    expect((await plane.postForm(VOICE, call, { signedUrl: other, headers })).status).toBe(403);
  });
});

describe('missing Twilio account', () => {
  const plane = withTwilioPlane({ twilio, isConfigured: false });

  it('webhooks are refused with 409 and the missing settings, because they cannot be verified', async () => {
    const { status, text } = await plane.postForm(VOICE, ringingFields({ To: '+14155559999' }));
    expect([status, JSON.parse(text).code]).toEqual([409, 'NOT_CONFIGURED']);
    expect(JSON.parse(text).error).toContain('TWILIO_AUTH_TOKEN');
  });
});
