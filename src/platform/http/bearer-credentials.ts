import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.js';
import type { Principal } from './route.js';
import { isGranted, type RouteScope } from './scopes.js';

/** Finds the principal of an API key or token; undefined if it is not valid. */
export interface Authenticator {
  authenticate(bearer: string): Promise<Principal | undefined>;
}

const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };
const MAX_BEARER_LENGTH = 8_192;

/** The token of `Authorization: Bearer …`, if any. */
export function bearerOf(request: IncomingMessage): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined || header.length > MAX_BEARER_LENGTH) return undefined;
  return /^Bearer +(\S+) *$/i.exec(header)?.[1];
}

const UNAUTHORIZED_TEXTS = {
  missing: 'Send your API key as "Authorization: Bearer <key>"',
  wrong: 'The API key is not valid',
  end_token: 'The bearer is neither the end token of this call nor a valid API key',
  call: 'The call does not exist, or it has ended',
  metrics_token: 'Send METRICS_TOKEN as "Authorization: Bearer <token>"',
  signed_link: 'The link is not valid, or has expired',
} as const;

/** The error of a request whose credential is missing or not valid. */
export function unauthorized(reason: keyof typeof UNAUTHORIZED_TEXTS): ApiError {
  return new ApiError('UNAUTHORIZED', UNAUTHORIZED_TEXTS[reason], { headers: CHALLENGE });
}

/** Whether a principal has a scope. */
export function hasScope({ scopes }: Principal, scope: RouteScope | 'any'): boolean {
  return scope === 'any' || isGranted(scopes, scope);
}

/** @throws ApiError FORBIDDEN, naming the scope that is missing. */
export function requireScope(principal: Principal, scope: RouteScope | 'any'): void {
  if (hasScope(principal, scope)) return;
  throw new ApiError('FORBIDDEN', `This API key lacks the scope "${scope}"`, {
    detail: `Missing scope: ${scope}`,
  });
}
