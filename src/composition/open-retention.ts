import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { deletionRoutes } from '../calls/retention/call-deletion.routes.js';
import { CallDeletion } from '../calls/retention/call-deletion.service.js';
import { CallRemoval, type CallRemovalParts } from '../calls/retention/call-removal.js';
import { DeletionAuditRepository } from '../calls/retention/deletion-audit.repository.js';
import { RetainedCallsRepository } from '../calls/retention/retained-calls.repository.js';
import { RetentionRepository } from '../calls/retention/retention.repository.js';
import { retentionRoutes } from '../calls/retention/retention.routes.js';
import { RetentionWorker } from '../calls/retention/retention.worker.js';
import { AgentsRepository } from '../features/agents/agents.repository.js';
import type { Route } from '../platform/http/route.js';

export interface RetentionParts extends Pick<CallRemovalParts, 'recordings' | 'replays'> {
  readonly db: Knex;
  readonly log: Logger;
}

/** How long what remains of calls is kept, and its deletion, put together. */
export interface OpenRetention {
  readonly job: RetentionWorker;
  readonly routes: readonly Route[];
}

export function openRetention({ db, log, recordings, replays }: RetentionParts): OpenRetention {
  const policies = new RetentionRepository(db);
  const receipts = new DeletionAuditRepository(db);
  const calls = new RetainedCallsRepository(db);
  const removal = new CallRemoval({ calls, receipts, recordings, replays });
  return {
    job: new RetentionWorker({ db, policies, receipts, removal, log }),
    routes: [
      ...retentionRoutes({ policies, receipts, agents: new AgentsRepository(db) }),
      ...deletionRoutes(new CallDeletion(calls, receipts, removal)),
    ],
  };
}
