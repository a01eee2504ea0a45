import type { Knex } from 'knex';
import type { WebhookEvent, WebhookOutboxPort } from '../../features/webhooks/webhook-events.js';
import { type DownloadLinkParts, downloadLink } from '../artifacts/download-link.js';
import { TRANSCRIPT_FILES } from '../artifacts/transcript.js';
import type { SummariesRepository } from './summaries.repository.js';

/** The event waits for its summary for so long. Source: the issue, 30 s, less what sending takes. */
const SUMMARY_WITHIN_MS = 26_000;

export interface CallCompletedEventsParts extends DownloadLinkParts {
  readonly events: WebhookOutboxPort;
  readonly summaries: Pick<SummariesRepository, 'request'>;
}

/**
 * Completes what is told of a call's end: where its transcript is, and, once it is made or its time is
 * up, its summary. Asking for the summary is part of the call's end.
 */
export class CallCompletedEvents implements WebhookOutboxPort {
  readonly #parts: CallCompletedEventsParts;

  constructor(parts: CallCompletedEventsParts) {
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
