import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { signatureHeaders } from '../../../src/features/webhooks/webhook-signature.js';

it('the signature follows Standard Webhooks', () => {
  // Test vector of Standard Webhooks.
  const headers = signatureHeaders({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  });
  expect(headers).toMatchObject({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

it.each(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'a plain one', 'whsec_not base64!'])(
  'the raw text of the secret %s also signs',
  (secret) => {
    const headers = signatureHeaders({ id: 'msg_1', timestamp: 1_700_000_000, body: '{}', secret });
    const hex = createHmac('sha256', secret).update('1700000000.{}').digest('hex');
    expect(headers['X-Webhook-Signature']).toBe(hex);
    expect(headers['X-Webhook-Timestamp']).toBe('1700000000');
  },
);

it.each(['a plain one', 'whsec_not base64!'])('the secret %s is used unchanged', (secret) => {
  const headers = signatureHeaders({ id: 'msg_1', timestamp: 1, body: 'é', secret });
  const base64 = createHmac('sha256', secret).update('msg_1.1.é').digest('base64');
  expect(headers['webhook-signature']).toBe(`v1,${base64}`);
});

it('without a secret there is no signature', () => {
  const headers = signatureHeaders({ id: 'msg_1', timestamp: 1, body: '{}', secret: null });
  expect(headers).toEqual({ 'webhook-id': 'msg_1', 'webhook-timestamp': '1' });
});
