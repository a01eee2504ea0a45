import { describe, expect, it } from 'vitest';
import {
  deliveryOutcomeOf,
  deliveryOutcomeOfError,
} from '../../../src/features/webhooks/delivery-outcome.js';
import { EgressError } from '../../../src/platform/egress/egress-error.js';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const answer = (status: number, retryAfter?: string) =>
  deliveryOutcomeOf(
    {
      status,
      headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
      body: Buffer.alloc(0),
    },
    NOW,
  );

describe('outcome of a delivery attempt', () => {
  it.each([200, 201, 202, 204, 299])('is success for %i', (status) => {
    expect(answer(status).type).toBe('delivered');
  });

  it.each([500, 502, 503, 504, 599, 429])('is a retry for %i', (status) => {
    expect(answer(status)).toMatchObject({ type: 'retry', statusCode: status, afterMs: 0 });
  });

  it.each([300, 301, 302, 303, 307, 308, 400, 401, 404, 410])('is a failure for %i', (status) => {
    expect(answer(status)).toMatchObject({ type: 'failed', isGone: status === 410 });
  });

  it.each([
    ['7', 7_000],
    ['0', 0],
    ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['86400', 3_600_000],
    ['soon', 0],
    ['', 0],
  ])('includes Retry-After: %s', (given, afterMs) => {
    expect(answer(503, given)).toMatchObject({ afterMs });
  });

  it('is a retry for network errors, and a failure for refused addresses', () => {
    const typeOf = (code: EgressError['code']) =>
      deliveryOutcomeOfError(new EgressError(code, 'a reason')).type;
    for (const code of ['TIMEOUT', 'UNREACHABLE', 'CLOSED_EARLY'] as const) {
      expect(typeOf(code)).toBe('retry');
    }
    expect(typeOf('BLOCKED_ADDRESS')).toBe('failed');
    expect(typeOf('INSECURE_URL')).toBe('failed');
    expect(deliveryOutcomeOfError(new Error('whsec_hush')).type).toBe('failed');
    expect(JSON.stringify(deliveryOutcomeOfError(new Error('whsec_hush')))).not.toContain('hush');
  });
});
