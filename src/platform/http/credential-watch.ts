import type { IncomingMessage } from 'node:http';
import { type Authenticator, bearerOf, hasScope } from './bearer-credentials.js';
import type { Principal } from './route.js';
import type { RouteScope } from './scopes.js';

/**
 * How often the credential of an open connection is checked, ms. With a cached key (1 s) and the clock
 * tolerance of JWTs (5 s), a revoked credential ends its connections within 15 s.
 */
const CHECK_MS = 5_000;

export interface WatchedCredential {
  readonly authenticator: Authenticator;
  /** The request whose bearer credential opened the connection. */
  readonly request: IncomingMessage;
  readonly principal: Principal;
  readonly scope: RouteScope | 'any';
  /** Milliseconds. Default: 5,000. */
  readonly checkMs?: number | undefined;
  /** Called once, when the credential no longer authorises the connection. */
  readonly onRevoked: () => void;
}

/**
 * Checks the credential of a long-lived connection periodically: any gateway can delete, deactivate or
 * restrict keys, and they expire. An unreachable database revokes nothing.
 * @returns a function that stops the checks.
 */
export function watchCredential(watched: WatchedCredential): () => void {
  const { authenticator, request, checkMs = CHECK_MS, onRevoked } = watched;
  const bearer = bearerOf(request) ?? '';
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    clearInterval(timer);
  };
  const check = async () => {
    const now = await authenticator.authenticate(bearer).catch(() => 'unknown' as const);
    if (isStopped || now === 'unknown' || isAuthorised(now, watched)) return;
    stop();
    onRevoked();
  };
  const timer = setInterval(() => void check(), checkMs);
  return stop;
}

function isAuthorised(
  now: Principal | undefined,
  { principal, scope }: WatchedCredential,
): boolean {
  return now?.accountId === principal.accountId && hasScope(now, scope);
}
