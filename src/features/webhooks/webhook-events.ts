import type { StoredEventWebhook } from '../agents/config/stored-config.js';

/** What an entry is told that names no events. Source: the contract's supplement, §6. */
const DEFAULT_EVENTS: readonly string[] = ['call.started', 'call.completed', 'test'];

/** Whether an entry wants to be told about an event. */
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

/** The text of an event as it is signed and sent. */
export function eventBody({ event, agentId, callId, data }: EventMessage, at = new Date()): string {
  return JSON.stringify({
    event,
    timestamp: at.toISOString(),
    call_id: callId,
    agent_id: agentId,
    data,
  });
}

/** The same text with more data. */
export function withMoreData(body: string, data: EventMessage['data']): string {
  const message = JSON.parse(body);
  return JSON.stringify({ ...message, data: { ...message.data, ...data } });
}
