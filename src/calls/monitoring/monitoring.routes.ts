import type { Request } from 'express';
import { type Route, route, SENT } from '../../platform/http/route.js';
import {
  bool,
  int,
  list,
  model,
  oneOf,
  str,
} from '../../platform/http/validation/schema-builders.js';
import type { CallTurnsRepository } from '../store/call-turns.repository.js';
import type { CallsRepository } from '../store/calls.repository.js';
import { CallPath, loadRunningCall, NOT_RUNNING } from '../store/load-call.js';
import type { CallTurnRow } from '../store/turn.model.js';
import { AUDIO_TYPE } from './audio-mixer.js';
import { toRunning } from './live-event.js';
import { LIVE_SCOPE, type StreamSessions } from './stream-sessions.js';

const TAG = 'Live calls';

const RunningCall = model({
  call_id: str(),
  agent_id: str(),
  agent_name: str(),
  call_type: str(),
  from_number: str().nullable(),
  to_number: str().nullable(),
  started_at: str({ format: 'date-time' }).nullable(),
});
const LiveTurn = model({
  index: int(),
  role: oneOf(['user', 'agent']),
  text: str(),
  cut: bool(),
  start_ms: int(),
  end_ms: int(),
});
const RunningCalls = model({ calls: list(RunningCall) }).meta({ id: 'RunningCalls' });
const LiveCall = model({ call: RunningCall, turns: list(LiveTurn) }).meta({ id: 'LiveCall' });

const STREAMED =
  'With `Accept: text/event-stream`, the response is a stream of events until the client disconnects.';

export interface LiveRouteParts {
  readonly calls: Pick<CallsRepository, 'find' | 'listRunning'>;
  readonly turns: Pick<CallTurnsRepository, 'listFrom'>;
  readonly streamSessions: StreamSessions;
}

/** Lists, events and audio of running calls. */
export function liveRoutes(parts: LiveRouteParts): readonly Route[] {
  const { calls, turns, streamSessions } = parts;
  return [
    route({
      tag: TAG,
      scope: LIVE_SCOPE,
      method: 'get',
      path: '/calls/live',
      summary: 'List running calls or stream their events',
      description: `Newest first, at most 1,000 calls. ${STREAMED}`,
      responses: { 200: { description: 'The running calls', schema: RunningCalls } },
      async handle({ principal, req, res, log }) {
        if (!wantsStream(req)) {
          return { calls: (await calls.listRunning(principal.accountId)).map(toRunning) };
        }
        log.info({ keyId: principal.keyId }, 'An operator watches the live calls of an account');
        await streamSessions.streamAccount({ principal, req, res, log });
        return SENT;
      },
    }),
    route({
      tag: TAG,
      scope: LIVE_SCOPE,
      method: 'get',
      path: '/calls/{call_id}/live',
      summary: 'Get a running call or stream its events',
      description: `The call and its turns so far. ${STREAMED} A stream with Last-Event-ID starts at that turn.`,
      params: CallPath,
      responses: {
        200: { description: 'The call and its turns so far', schema: LiveCall },
        404: { description: 'No such call' },
        409: { description: NOT_RUNNING },
      },
      async handle({ principal, params, req, res, log }) {
        const row = await loadRunningCall(calls, principal.accountId, params.call_id);
        if (!wantsStream(req)) {
          const soFar = await turns.listFrom(row.call_id, 0);
          return { call: toRunning(row), turns: soFar.map(presentTurn) };
        }
        log.info(
          { callId: row.call_id, keyId: principal.keyId },
          'An operator watches a live call',
        );
        await streamSessions.streamCall({ principal, req, res, log }, row.call_id, lastTurnOf(req));
        return SENT;
      },
    }),
    audioRoute(parts),
  ];
}

function audioRoute({ calls, streamSessions }: LiveRouteParts): Route {
  return route({
    tag: TAG,
    scope: LIVE_SCOPE,
    method: 'get',
    path: '/calls/{call_id}/audio',
    summary: 'Listen to a running call',
    description:
      'Streams both legs of the call from now on, mixed, as MP3 (24 kHz, mono) in real time.',
    params: CallPath,
    responses: {
      200: { description: 'Audio until the call ends', mediaTypes: [AUDIO_TYPE] },
      404: { description: 'No such call' },
      409: { description: NOT_RUNNING },
      503: { description: 'The gateway of the call is unreachable' },
    },
    async handle({ principal, params, req, res, log }) {
      const row = await loadRunningCall(calls, principal.accountId, params.call_id);
      log.info({ callId: row.call_id, keyId: principal.keyId }, 'An operator listens to a call');
      await streamSessions.listen({ principal, req, res, log }, row);
      return SENT;
    },
  });
}

/** Requests that accept anything get JSON. */
function wantsStream(request: Request): boolean {
  return /\btext\/event-stream\b/i.test(request.get('accept') ?? '');
}

/** Index of the newest turn that the client has received; 0 if none. */
function lastTurnOf(request: Request): number {
  const id = request.get('last-event-id') ?? '';
  return /^\d{1,9}$/.test(id) ? Number(id) : 0;
}

function presentTurn({ index, role, text, cut, start_ms, end_ms }: CallTurnRow) {
  return { index, role, text, cut, start_ms, end_ms };
}
