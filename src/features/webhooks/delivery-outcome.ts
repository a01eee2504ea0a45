import type { EgressResponse } from '../../platform/egress/egress-client.js';
import { EgressError } from '../../platform/egress/egress-error.js';

/** What one try came to. `reason` is a sentence without anything of what was sent. */
export type DeliveryOutcome =
  | { readonly type: 'delivered'; readonly statusCode: number }
  | {
      readonly type: 'retry';
      readonly reason: string;
      readonly statusCode: number | null;
      /** What the receiver asked for, in ms. */
      readonly afterMs: number;
    }
  | {
      readonly type: 'failed';
      readonly reason: string;
      readonly statusCode: number | null;
      /** The receiver wants no more of these. */
      readonly isGone: boolean;
    };

/** A receiver may put the next try off for so long. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Success is 2xx; another try is worth it after a timeout, a broken connection, 5xx and 429. */
export function deliveryOutcomeOf(answer: EgressResponse, nowMs: number): DeliveryOutcome {
  const { status: statusCode, headers } = answer;
  const reason = `The receiver answered ${statusCode}`;
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

/** What a try came to that got no answer. */
export function deliveryOutcomeOfError(error: unknown): DeliveryOutcome {
  if (!(error instanceof EgressError)) {
    const reason = 'The request could not be made';
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
