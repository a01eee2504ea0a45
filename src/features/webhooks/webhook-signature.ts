import { createHmac } from 'node:crypto';

export interface SignedMessage {
  /** The same on every try. */
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** The raw text that is sent. */
  readonly body: string;
  readonly secret: string | null;
}

const ENCODED_SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/**
 * The headers that let a receiver know a message, and with a secret check it, both ways: our own
 * (hex, the secret as it is written) and Standard Webhooks (base64, `whsec_` secrets decoded).
 * Source: the contract's supplement, §7; Standard Webhooks 1.0.0.
 */
export function signatureHeaders({
  id,
  timestamp,
  body,
  secret,
}: SignedMessage): Record<string, string> {
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp) };
  if (secret === null) return headers;
  const ours = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  const standard = createHmac('sha256', keyOf(secret))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64');
  return {
    ...headers,
    'webhook-signature': `v1,${standard}`,
    'X-Webhook-Timestamp': String(timestamp),
    'X-Webhook-Signature': ours,
  };
}

function keyOf(secret: string): Buffer {
  const encoded = ENCODED_SECRET.exec(secret)?.[1];
  return encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, 'base64');
}
