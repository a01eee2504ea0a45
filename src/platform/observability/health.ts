import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { Router } from 'express';
import type { Knex } from 'knex';
import { API_KEY_FILE } from '../../features/auth/first-account.js';

/** A part of the service; `check` resolves when it can work, and says in words why it cannot. */
export interface HealthPart {
  readonly name: string;
  /** A part that is not needed is named when it is down, and leaves the service ready. */
  readonly isNeeded: boolean;
  readonly check: () => Promise<'up' | string>;
}

export interface OwnHealthNeeds {
  readonly dataDir: string;
  readonly db: Knex;
  /** The gateway takes no more calls, and ends when those that run have ended. */
  readonly isStopping: () => boolean;
}

/** What must be up. The default models are warm before the server listens, so they need no check. */
export function ownHealthParts({ dataDir, db, isStopping }: OwnHealthNeeds): readonly HealthPart[] {
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
    {
      name: 'api-key',
      isNeeded: true,
      check: async () => {
        await access(join(dataDir, API_KEY_FILE));
        return 'up';
      },
    },
  ];
}

/** `/healthz` (the process answers) and `/readyz` (all that is needed is up). */
export function healthRoutes(parts: readonly HealthPart[]): Router {
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
