import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { AgentsRepository } from '../agents/agents.repository.js';
import type { Route } from '../http/route.js';
import { CallDeletion } from './call-deletion.js';
import { CallRemoval, type CallRemovalParts } from './call-removal.js';
import { deletionRoutes } from './deletion.routes.js';
import { KeptCallsRepository } from './kept-calls.repository.js';
import { ReceiptsRepository } from './receipts.repository.js';
import { RetentionRepository } from './retention.repository.js';
import { retentionRoutes } from './retention.routes.js';
import { RetentionJob } from './retention-job.js';

export interface RetentionParts extends Pick<CallRemovalParts, 'recordings' | 'replays'> {
  readonly db: Knex;
  readonly log: Logger;
}

/** How long what remains of calls is kept, and its deletion, put together. */
export interface OpenRetention {
  readonly job: RetentionJob;
  readonly routes: readonly Route[];
}

export function openRetention({ db, log, recordings, replays }: RetentionParts): OpenRetention {
  const policies = new RetentionRepository(db);
  const receipts = new ReceiptsRepository(db);
  const calls = new KeptCallsRepository(db);
  const removal = new CallRemoval({ calls, receipts, recordings, replays });
  return {
    job: new RetentionJob({ db, policies, receipts, removal, log }),
    routes: [
      ...retentionRoutes({ policies, receipts, agents: new AgentsRepository(db) }),
      ...deletionRoutes(new CallDeletion(calls, receipts, removal)),
    ],
  };
}
