import type { StoredEventWebhook } from '../agents/config/stored-config.js';

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
