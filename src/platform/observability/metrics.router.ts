import { createHash } from 'node:crypto';
import { type Request, Router } from 'express';
import { isLoopback } from '../../config/setting-types.js';
import { ApiError } from '../http/api-error.js';
import { bearerOf, unauthorized } from '../http/bearer-credentials.js';
import type { RateLimiter } from '../http/rate-limit.js';
import { isSameHash } from '../secrets/timing-safe-equal.js';
import type { Metrics } from './metrics.js';

interface MetricsRouterParts {
  readonly metrics: Metrics;
  /** METRICS_TOKEN; undefined if only direct loopback clients may read metrics. */
  readonly token: string | undefined;
  readonly limiter: Pick<RateLimiter, 'countFailedAuth'>;
}

/** Headers that proxies add. Any of them means that the peer is not the client. */
const FORWARDING_HEADER =
  /^(x-forwarded(-.*)?|forwarded|via|x-real-ip|.*-connecting-ip|.*client-ip)$/;

/** `/metrics`, for clients with METRICS_TOKEN or, without that setting, clients on this machine. */
export function metricsRouter({ metrics, token, limiter }: MetricsRouterParts): Router {
  const router = Router({ caseSensitive: true });
  router.get('/metrics', async (request, response) => {
    response.locals.route = '/metrics';
    if (token === undefined) requireDirectLoopback(request);
    else await requireToken(request, token, limiter);
    response.set('Cache-Control', 'no-store').type(metrics.registry.contentType);
    response.send(await metrics.registry.metrics());
  });
  return router;
}

/** @throws ApiError FORBIDDEN */
function requireDirectLoopback({ socket, headers }: Request): void {
  const isForwarded = Object.keys(headers).some((name) => FORWARDING_HEADER.test(name));
  if (isLoopback(socket.remoteAddress ?? '') && !isForwarded) return;
  throw new ApiError(
    'FORBIDDEN',
    'Without METRICS_TOKEN, only clients on the same machine can read the metrics',
    {
      detail: 'Set METRICS_TOKEN and send it as "Authorization: Bearer <token>"',
    },
  );
}

/** @throws ApiError UNAUTHORIZED, RATE_LIMITED */
async function requireToken(
  request: Request,
  token: string,
  limiter: Pick<RateLimiter, 'countFailedAuth'>,
): Promise<void> {
  const given = bearerOf(request);
  if (given !== undefined && isSameHash(hashOf(given), hashOf(token))) return;
  if (given !== undefined) await limiter.countFailedAuth(request.ip ?? '');
  throw unauthorized('metrics_token');
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
