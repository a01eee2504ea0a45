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
  'With `Accept: text/event-stream` it answers a stream of events, until the client goes.';

export interface LiveRouteParts {
  readonly calls: Pick<CallsRepository, 'find' | 'listRunning'>;
  readonly turns: Pick<CallTurnsRepository, 'listFrom'>;
  readonly desk: StreamSessions;
}

/** Lists, events and audio of running calls. */
export function liveRoutes(parts: LiveRouteParts): readonly Route[] {
  const { calls, turns, desk } = parts;
  return [
    route({
      tag: TAG,
      scope: LIVE_SCOPE,
      method: 'get',
      path: '/calls/live',
      summary: 'Watch the calls that run',
      description: `The newest first, 1,000 at most. ${STREAMED}`,
      responses: { 200: { description: 'The calls that run now', schema: RunningCalls } },
      async handle({ principal, req, res, log }) {
        if (!wantsStream(req)) {
          return { calls: (await calls.listRunning(principal.accountId)).map(toRunning) };
        }
        log.info({ keyId: principal.keyId }, 'live calls are watched');
        await desk.streamAccount({ principal, req, res, log });
        return SENT;
      },
    }),
    route({
      tag: TAG,
      scope: LIVE_SCOPE,
      method: 'get',
      path: '/calls/{call_id}/live',
      summary: 'Watch a call that runs',
      description: `What has been said so far. ${STREAMED} Last-Event-ID leaves out what was told.`,
      params: CallPath,
      responses: {
        200: { description: 'The call as it is now', schema: LiveCall },
        404: { description: 'No such call' },
        409: { description: NOT_RUNNING },
      },
      async handle({ principal, params, req, res, log }) {
        const row = await loadRunningCall(calls, principal.accountId, params.call_id);
        if (!wantsStream(req)) {
          const soFar = await turns.listFrom(row.call_id, 0);
          return { call: toRunning(row), turns: soFar.map(presentTurn) };
        }
        log.info({ callId: row.call_id, keyId: principal.keyId }, 'a live call is watched');
        await desk.streamCall({ principal, req, res, log }, row.call_id, lastTurnOf(req));
        return SENT;
      },
    }),
    audioRoute(parts),
  ];
}

function audioRoute({ calls, desk }: LiveRouteParts): Route {
  return route({
    tag: TAG,
    scope: LIVE_SCOPE,
    method: 'get',
    path: '/calls/{call_id}/audio',
    summary: 'Listen in to a call that runs',
    description: 'Both legs together from now on, as MP3 (24 kHz, mono) that comes as it is heard.',
    params: CallPath,
    responses: {
      200: { description: 'Sound, until the call ends', mediaTypes: [AUDIO_TYPE] },
      404: { description: 'No such call' },
      409: { description: NOT_RUNNING },
      503: { description: 'The gateway that holds the call cannot be reached' },
    },
    async handle({ principal, params, req, res, log }) {
      const row = await loadRunningCall(calls, principal.accountId, params.call_id);
      log.info({ callId: row.call_id, keyId: principal.keyId }, 'a call is listened to');
      await desk.listen({ principal, req, res, log }, row);
      return SENT;
    },
  });
}

/** Plain requests, which take anything, are answered with plain JSON. */
function wantsStream(request: Request): boolean {
  return /\btext\/event-stream\b/i.test(request.get('accept') ?? '');
}

/** The newest turn that the client knows; 0 where it knows none. */
function lastTurnOf(request: Request): number {
  const id = request.get('last-event-id') ?? '';
  return /^\d{1,9}$/.test(id) ? Number(id) : 0;
}

function presentTurn({ index, role, text, cut, start_ms, end_ms }: CallTurnRow) {
  return { index, role, text, cut, start_ms, end_ms };
}
