import type { Knex } from 'knex';
import type { WebhookEvent, WebhookOutboxPort } from '../../features/webhooks/webhook-events.js';
import { type DownloadLinkParts, downloadLink } from '../artifacts/download-link.js';
import { TRANSCRIPT_FILES } from '../artifacts/transcript.js';
import type { SummariesRepository } from './summaries.repository.js';

/** Time that `call.completed` waits for its summary. The public API allows 30 s, including the delivery. */
const SUMMARY_WITHIN_MS = 26_000;

export interface CallEventRecorderParts extends DownloadLinkParts {
  readonly events: WebhookOutboxPort;
  readonly summaries: Pick<SummariesRepository, 'request'>;
}

/**
 * Adds the link to the transcript to the events of a call's end, and holds `call.completed` for the
 * summary. The summary is requested in the transaction of the call's end.
 */
export class CallEventRecorder implements WebhookOutboxPort {
  readonly #parts: CallEventRecorderParts;

  constructor(parts: CallEventRecorderParts) {
    this.#parts = parts;
  }

  async record(transaction: Knex.Transaction, events: readonly WebhookEvent[]): Promise<void> {
    const { summaries } = this.#parts;
    await this.#parts.events.record(
      transaction,
      events.map((event) => (event.hasTranscript ? this.#completed(event) : event)),
    );
    for (const { event, hasTranscript, callId } of events) {
      if (hasTranscript && event === 'call.completed') await summaries.request(transaction, callId);
    }
  }

  amend(...change: Parameters<WebhookOutboxPort['amend']>): Promise<void> {
    return this.#parts.events.amend(...change);
  }

  #completed(event: WebhookEvent): WebhookEvent {
    const link = downloadLink(this.#parts, event.callId, TRANSCRIPT_FILES.json.name);
    const data = { ...event.data, transcript_uri: link ?? null };
    const waits = event.event === 'call.completed' && { holdMs: SUMMARY_WITHIN_MS };
    return { ...event, data, ...waits };
  }
}
