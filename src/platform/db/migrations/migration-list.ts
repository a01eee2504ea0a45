import { accounts } from './0001-accounts.js';
import { agents } from './0002-agents.js';
import { rateLimits } from './0003-rate-limits.js';
import { calls } from './0004-calls.js';
import { knowledge } from './0005-knowledge.js';
import { idempotency } from './0006-idempotency.js';
import { phoneNumbers } from './0007-phone-numbers.js';
import { webhookDeliveries } from './0008-webhook-deliveries.js';
import { dictionaries } from './0009-dictionaries.js';
import { voices } from './0010-voices.js';
import { callCommandService } from './0011-call-commands.js';
import { recordings } from './0012-recordings.js';
import { callRecords } from './0013-call-records.js';
import { liveAndRetention } from './0014-live-and-retention.js';
import { audiosocketCalls } from './0015-audiosocket-calls.js';
import { knowledgeDocuments } from './0016-knowledge-documents.js';
import { turnProviders } from './0019-turn-providers.js';
import { unbegunCalls } from './0020-unbegun-calls.js';
import { numberOwners } from './0022-number-owners.js';
import { idempotencyPrincipals } from './0023-idempotency-principals.js';
import { peerCommands } from './0024-peer-commands.js';
import type { Migration } from './migration.js';

/**
 * Every migration, oldest first. A released one is never edited, renamed or taken out: the next
 * change of the schema is a new file at the end.
 */
export const MIGRATIONS: readonly Migration[] = [
  accounts,
  agents,
  rateLimits,
  calls,
  knowledge,
  idempotency,
  phoneNumbers,
  webhookDeliveries,
  dictionaries,
  voices,
  callCommandService,
  recordings,
  callRecords,
  liveAndRetention,
  audiosocketCalls,
  knowledgeDocuments,
  turnProviders,
  unbegunCalls,
  numberOwners,
  idempotencyPrincipals,
  peerCommands,
];
