import type { Knex } from 'knex';
import { CallEventRecorder } from '../calls/history/call-event-recorder.js';
import { SummariesRepository } from '../calls/history/summaries.repository.js';
import { CallTurnsRepository } from '../calls/store/call-turns.repository.js';
import { CallsRepository } from '../calls/store/calls.repository.js';
import type { LimitSettings } from '../config/limits.settings.js';
import type { WebhookOutboxPort } from '../features/webhooks/webhook-events.js';
import { SignedLinks } from '../platform/http/signed-links.js';
import type { SecretKeys } from '../platform/secrets/secret-keys.js';

export interface CallStoreParts {
  readonly config: LimitSettings;
  readonly db: Knex;
  readonly secrets: SecretKeys;
  readonly events: WebhookOutboxPort;
  /** `http(s)://host[:port]`; undefined where no absolute URL is known. */
  readonly origin: () => string | undefined;
}

/** The repositories of calls, turns and summaries, which record the webhook events of calls. */
export function createCallStoreModule(parts: CallStoreParts) {
  const { config, db } = parts;
  const links = new SignedLinks(parts.secrets);
  const summaries = new SummariesRepository(db);
  const eventRecorder = new CallEventRecorder({ ...parts, summaries, links });
  return {
    calls: new CallsRepository(db, config.CONCURRENT_CALLS, eventRecorder),
    turns: new CallTurnsRepository(db, eventRecorder),
    summaries,
    links,
    eventRecorder,
  };
}
