import type { StoredEventWebhook } from '../agents/config/webhook-settings.js';

/** What an entry is told that names no events. Source: the contract's supplement, §6. */
const TOLD_BY_DEFAULT: readonly string[] = ['call.started', 'call.completed', 'test'];

/** Whether an entry wants to be told about an event. */
export function takesEvent({ events }: Pick<StoredEventWebhook, 'events'>, event: string): boolean {
  return events.length === 0
    ? TOLD_BY_DEFAULT.includes(event)
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
export function amendedBody(body: string, data: EventMessage['data']): string {
  const message = JSON.parse(body);
  return JSON.stringify({ ...message, data: { ...message.data, ...data } });
}
