import { ApiError } from './api-error.js';

const TAG = /^"[\x21\x23-\x7e]*"$/;

/**
 * Requires that the client has read the current version: `If-Match` is absent, `*`, or contains the
 * current tag. Weak tags never match. Source: RFC 9110, section 13.1.1.
 * @throws ApiError PRECONDITION_FAILED
 */
export function requireMatch(ifMatch: string | undefined, current: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (tags.some((tag) => TAG.test(tag) && tag === current)) return;
  throw new ApiError(
    'PRECONDITION_FAILED',
    'The resource has changed since you read it: read it again',
    {
      detail: `The current ETag is ${current}`,
      headers: { ETag: current },
    },
  );
}
