import type { EgressResponse } from '../../platform/egress/egress-client.js';
import { EgressError } from '../../platform/egress/egress-error.js';

/** The outcome of one attempt. `reason` contains nothing of the sent data. */
export type DeliveryOutcome =
  | { readonly type: 'delivered'; readonly statusCode: number }
  | {
      readonly type: 'retry';
      readonly reason: string;
      readonly statusCode: number | null;
      /** `Retry-After` of the receiver, ms. */
      readonly afterMs: number;
    }
  | {
      readonly type: 'failed';
      readonly reason: string;
      readonly statusCode: number | null;
      /** Whether the receiver responded with 410. */
      readonly isGone: boolean;
    };

/** Upper bound of `Retry-After`. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** 2xx is success. Timeouts, connection failures, 5xx and 429 are retried. */
export function deliveryOutcomeOf(answer: EgressResponse, nowMs: number): DeliveryOutcome {
  const { status: statusCode, headers } = answer;
  const reason = `The receiver responded with status ${statusCode}`;
  if (statusCode >= 200 && statusCode < 300) return { type: 'delivered', statusCode };
  if (statusCode >= 500 || statusCode === 429) {
    return { type: 'retry', reason, statusCode, afterMs: retryAfterMs(headers, nowMs) };
  }
  const isRedirect = statusCode >= 300 && statusCode < 400;
  return {
    type: 'failed',
    reason: isRedirect ? `${reason}: redirects are not followed` : reason,
    statusCode,
    isGone: statusCode === 410,
  };
}

/** The outcome of an attempt without a response. */
export function deliveryOutcomeOfError(error: unknown): DeliveryOutcome {
  if (!(error instanceof EgressError)) {
    const reason = 'The request could not be sent';
    return { type: 'failed', reason, statusCode: null, isGone: false };
  }
  const reason = error.message;
  return error.code === 'BLOCKED_ADDRESS' || error.code === 'INSECURE_URL'
    ? { type: 'failed', reason, statusCode: null, isGone: false }
    : { type: 'retry', reason, statusCode: null, afterMs: 0 };
}

/** Seconds or a date. Source: RFC 9110, section 10.2.3. */
function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number {
  const given = headers['retry-after']?.trim() ?? '';
  const ms = /^\d+$/.test(given) ? Number(given) * 1_000 : Date.parse(given) - nowMs;
  return Number.isNaN(ms) ? 0 : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms));
}
