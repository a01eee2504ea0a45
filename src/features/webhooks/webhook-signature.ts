import { createHmac } from 'node:crypto';

export interface SignedMessage {
  /** The same for every attempt. */
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** The exact request body. */
  readonly body: string;
  readonly secret: string | null;
}

const ENCODED_SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/**
 * The id, timestamp and signature headers of a request. With a secret, signs in two formats: Parley's own
 * (hex, with the literal secret) and Standard Webhooks 1.0.0 (base64, with decoded `whsec_` secrets).
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
