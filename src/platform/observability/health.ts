import { Router } from 'express';
import type { Knex } from 'knex';

/** A part of the service. `check` returns `up`, or a sentence about the problem; it may throw. */
export interface HealthPart {
  readonly name: string;
  /** Whether the service is ready only while this part is up. */
  readonly isNeeded: boolean;
  readonly check: () => Promise<'up' | string>;
}

/**
 * The gateway and its database. The default models are warm before the server listens and need no check.
 * @param isStopping whether the gateway accepts no more calls
 */
export function gatewayHealth(db: Knex, isStopping: () => boolean): readonly HealthPart[] {
  return [
    {
      name: 'gateway',
      isNeeded: true,
      check: async () => (isStopping() ? 'stopping' : 'up'),
    },
    {
      name: 'database',
      isNeeded: true,
      check: async () => {
        await db.raw('select 1');
        return 'up';
      },
    },
  ];
}

/** `/healthz` (the process responds) and `/readyz` (all needed parts are up). */
export function healthRouter(parts: readonly HealthPart[]): Router {
  const router = Router({ caseSensitive: true });
  router.get('/healthz', (_request, response) => {
    response.locals.route = '/healthz';
    response.json({ status: 'ok' });
  });
  router.get('/readyz', async (_request, response) => {
    response.locals.route = '/readyz';
    const states = await Promise.all(parts.map(stateOf));
    const isReady = states.every(({ part, state }) => state === 'up' || !part.isNeeded);
    response.status(isReady ? 200 : 503).json({
      status: isReady ? 'ready' : 'not ready',
      parts: Object.fromEntries(states.map(({ part, state }) => [part.name, state])),
    });
  });
  return router;
}

async function stateOf(part: HealthPart) {
  try {
    return { part, state: await part.check() };
  } catch {
    return { part, state: 'down' };
  }
}
