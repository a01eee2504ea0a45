import { accounts } from './0001-accounts.js';
import { requests } from './0002-requests.js';
import { knowledge } from './0003-knowledge.js';
import { agents } from './0004-agents.js';
import { voices } from './0005-voices.js';
import { dictionaries } from './0006-dictionaries.js';
import { phoneNumbers } from './0007-phone-numbers.js';
import { gateways } from './0008-gateways.js';
import { calls } from './0009-calls.js';
import { callSums } from './0010-call-sums.js';
import { recordings } from './0011-recordings.js';
import { retention } from './0012-retention.js';
import { webhookDeliveries } from './0013-webhook-deliveries.js';
import type { Migration } from './migration.js';

/**
 * All migrations, ordered by number. This list is append-only: a change of the schema is a new file
 * with the next number.
 */
export const MIGRATIONS: readonly Migration[] = [
  accounts,
  requests,
  knowledge,
  agents,
  voices,
  dictionaries,
  phoneNumbers,
  gateways,
  calls,
  callSums,
  recordings,
  retention,
  webhookDeliveries,
];
