import { Router } from 'express';
import type { AudioEncoders } from './audio-mixer.js';
import { listenInto } from './audio-response.js';
import type { LiveEventBus } from './live-event-bus.js';

/** Interval of the empty lines that keep an event stream alive, ms. */
const KEEP_ALIVE_MS = 5_000;
/** Maximum backlog of a gateway, bytes. A slower gateway is disconnected. */
const MAX_UNSENT = 1024 * 1024;
const NOT_FOUND = 404;

/** The calls of an event stream. */
export interface EventTarget {
  readonly accountId: string;
  /** Undefined: all calls of the account. */
  readonly callId?: string | undefined;
}

/** The peer API's path for a stream of events, one JSON object per line. */
export function eventsPath({ accountId, callId }: EventTarget): string {
  const query = { account_id: accountId, ...(callId !== undefined && { call_id: callId }) };
  return `/events?${new URLSearchParams(query)}`;
}

/** The peer API's path for the audio of a call. */
export function audioPath({ accountId, callId }: Required<EventTarget>): string {
  return `/calls/${callId}/audio?${new URLSearchParams({ account_id: accountId })}`;
}

/** Streams of this gateway's calls for other gateways. */
export function peerStreams(eventBus: LiveEventBus, encoders: AudioEncoders): Router {
  const router = Router();
  router.get('/events', ({ query }, response) => {
    const { account_id: accountId, call_id: callId } = query;
    const isAboutCall = typeof callId === 'string';
    const isHere = !isAboutCall || eventBus.find(callId)?.accountId === accountId;
    if (typeof accountId !== 'string' || !isHere) {
      response.status(NOT_FOUND).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).flushHeaders();
    const write = (line: string) => {
      if (response.writableEnded) return;
      if (response.writableLength > MAX_UNSENT) response.destroy();
      else response.write(`${line}\n`);
    };
    const unwatch = eventBus.watch({
      accountId,
      callId: isAboutCall ? callId : undefined,
      tell: (event) => {
        write(JSON.stringify(event));
        if (isAboutCall && event.type === 'ended') response.end();
      },
      closed: () => response.end(),
    });
    const keepAlive = setInterval(() => write(''), KEEP_ALIVE_MS);
    response.once('close', () => {
      clearInterval(keepAlive);
      unwatch();
    });
  });
  router.get('/calls/:callId/audio', async ({ params, query }, response) => {
    const feed = eventBus.find(params.callId);
    if (!feed?.sound || feed.accountId !== query.account_id) {
      response.status(NOT_FOUND).end();
      return;
    }
    await listenInto(response, feed.sound, encoders);
  });
  return router;
}
