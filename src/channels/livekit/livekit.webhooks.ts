import { createHash } from 'node:crypto';
import { type Request, type Response, Router } from 'express';
import { TokenVerifier } from 'livekit-server-sdk';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { CallsRepository } from '../../calls/store/calls.repository.js';
import { ApiError } from '../../platform/http/api-error.js';
import { methodNotAllowed } from '../../platform/http/router.js';
import { parseJson, readBytes } from '../../platform/http/validation/json-body.js';
import type { LiveKitAccess } from './livekit-credentials.js';
import { callerIdentityOf, callOfRoom } from './room-names.js';

export const LIVEKIT_WEBHOOK_PATH = '/livekit/webhook';
/** A room with its participant has some kB. */
const MAX_BYTES = 262_144;
/** Tolerated difference between the clocks, s. */
const TOLERANCE_S = 10;

/** The fields of an event that are used. LiveKit writes protobuf JSON; enums are names or numbers. */
const Event = z.object({
  event: z.string().max(100),
  room: z.object({ name: z.string().max(1_000), sid: z.string().max(1_000) }).nullish(),
  participant: z
    .object({ identity: z.string().max(1_000), kind: z.union([z.string(), z.number()]).nullish() })
    .nullish(),
});
type Event = z.output<typeof Event>;

export interface LiveKitWebhookParts {
  readonly access: Pick<LiveKitAccess, 'apiKey' | 'apiSecret'>;
  readonly calls: Pick<CallsRepository, 'endReserved'>;
  readonly log: Logger;
}

/** `POST /livekit/webhook`: events of rooms, signed with the API secret. */
export function liveKitWebhooks(parts: LiveKitWebhookParts): Router {
  const { access } = parts;
  const verifier = new TokenVerifier(access.apiKey, access.apiSecret);
  const router = Router({ caseSensitive: true });
  router.post(LIVEKIT_WEBHOOK_PATH, async (request: Request, response: Response) => {
    response.locals.route = LIVEKIT_WEBHOOK_PATH;
    const body = await readBytes(request, MAX_BYTES);
    await verify(verifier, request.get('authorization'), body);
    await onEvent(parts, read(body));
    response.status(204).end();
  });
  router.all(LIVEKIT_WEBHOOK_PATH, () => {
    throw methodNotAllowed(['POST']);
  });
  return router;
}

/**
 * The token contains the hash of the body. Source: LiveKit's documentation, "Webhooks".
 * @throws ApiError UNAUTHORIZED
 */
async function verify(
  verifier: TokenVerifier,
  authorization: string | undefined,
  body: Uint8Array,
): Promise<void> {
  const token = authorization?.replace(/^Bearer\s+/i, '');
  if (!token) throw unauthorized('The webhook of LiveKit has no token in the header Authorization');
  let claimed: string | undefined;
  try {
    claimed = (await verifier.verify(token, TOLERANCE_S)).sha256;
  } catch (cause) {
    throw unauthorized('The token is not valid or has expired', cause);
  }
  if (claimed !== createHash('sha256').update(body).digest('base64')) {
    throw unauthorized('The token does not match the body');
  }
}

function unauthorized(sentence: string, cause?: unknown): ApiError {
  return new ApiError('UNAUTHORIZED', sentence, { cause });
}

function read(body: Uint8Array): Event {
  const event = Event.safeParse(parseJson(body));
  if (!event.success) throw new ApiError('BAD_REQUEST', 'The body is not an event of LiveKit');
  return event.data;
}

/**
 * Ends a reserved call whose caller has left. Running calls notice that in their room; other events are
 * ignored. Events may be repeated and out of order.
 */
async function onEvent({ calls, log }: LiveKitWebhookParts, event: Event): Promise<void> {
  const callId = event.room ? callOfRoom(event.room.name, event.room.sid) : undefined;
  if (callId === undefined) return;
  const isOver =
    event.event === 'room_finished' ||
    (event.event === 'participant_left' &&
      event.participant?.identity === callerIdentityOf(callId));
  if (!isOver) return;
  log.debug({ callId, event: event.event }, 'LiveKit reports that a caller has left');
  await calls.endReserved(callId, 'user_hangup');
}
