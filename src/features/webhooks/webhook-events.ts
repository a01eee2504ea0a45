import type { Knex } from 'knex';
import type { StoredEventWebhook } from '../agents/config/webhook-settings.js';

/** An event of a call, for the receivers that the agent names. */
export interface WebhookEvent {
  readonly event:
    | 'call.started'
    | 'call.completed'
    | 'call.failed'
    | 'turn.completed'
    | 'tool.called'
    | 'recording.ready';
  readonly accountId: string;
  readonly agentId: string;
  readonly callId: string;
  /** Field names are those of the public contract. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The call that ended has a transcript. */
  readonly hasTranscript?: boolean;
  /** Delivery waits for this long, or until the event is amended. */
  readonly holdMs?: number;
}

/** Stores events in the transaction of the change that they report: both are stored or neither. */
export interface WebhookRecorder {
  record(transaction: Knex.Transaction, events: readonly WebhookEvent[]): Promise<void>;
}

/** A recorder that can hold events until their data is complete. */
export interface WebhookOutboxPort extends WebhookRecorder {
  /** Adds data to a held event and releases it. A released event stays unchanged. */
  amend(
    transaction: Knex.Transaction,
    callId: string,
    change: Pick<WebhookEvent, 'event' | 'data'>,
  ): Promise<void>;
}

/** Events of an entry that lists none. */
const DEFAULT_EVENTS: readonly string[] = ['call.started', 'call.completed', 'test'];

/** Whether an entry subscribes to an event. */
export function isSubscribed(
  { events }: Pick<StoredEventWebhook, 'events'>,
  event: string,
): boolean {
  return events.length === 0
    ? DEFAULT_EVENTS.includes(event)
    : events.some((name) => name === event);
}

export interface EventMessage {
  readonly event: string;
  readonly agentId: string;
  readonly callId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The body of an event request. */
export function eventBody({ event, agentId, callId, data }: EventMessage, at = new Date()): string {
  return JSON.stringify({
    event,
    timestamp: at.toISOString(),
    call_id: callId,
    agent_id: agentId,
    data,
  });
}

/** Adds data to a body. */
export function withMoreData(body: string, data: EventMessage['data']): string {
  const message = JSON.parse(body);
  return JSON.stringify({ ...message, data: { ...message.data, ...data } });
}
