import { z } from 'zod';
import type { CallEvent } from '../../contract/transport.js';

/** Hz of the agent's audio in a room: WebRTC's native rate. */
export const ROOM_RATE = 48_000;

/** A message about a room from the gateway to a bridge. Positions are ms of the agent's audio. */
export type ToBridge =
  | {
      readonly type: 'join';
      readonly url: string;
      readonly token: string;
      readonly callerIdentity: string | undefined;
    }
  | { readonly type: 'pause' }
  | { readonly type: 'resume'; readonly fromMs: number }
  | { readonly type: 'clear' }
  /** The caller is back: the next audio starts at this position. */
  | { readonly type: 'seek'; readonly positionMs: number }
  | { readonly type: 'event'; readonly event: CallEvent }
  /** DTMF digits for a telephone in the room. */
  | { readonly type: 'keys'; readonly keys: string }
  | { readonly type: 'leave' };

/** Why a room ended without the gateway. */
const RoomEnd = z.enum(['user_hangup', 'operator_ended', 'error_transport']);
export type RoomEnd = z.infer<typeof RoomEnd>;

const RoomCaller = z.object({
  identity: z.string(),
  isPhone: z.boolean(),
  attributes: z.record(z.string(), z.string()),
});

/** A message from a bridge to the gateway about a room, or (room 0) about the process. */
export const FromBridge = z.discriminatedUnion('type', [
  z.object({ type: z.literal('heartbeat'), rooms: z.number() }),
  /** A fault that ended no room. */
  z.object({ type: z.literal('fault'), why: z.string() }),
  /** The agent and the caller have joined the room. */
  z.object({ type: z.literal('joined'), caller: RoomCaller }),
  /** The caller has subscribed to the agent's track. */
  z.object({ type: z.literal('caller-subscribed') }),
  z.object({ type: z.literal('played'), playedMs: z.number() }),
  z.object({ type: z.literal('typed'), text: z.string() }),
  z.object({ type: z.literal('dtmf'), digit: z.string() }),
  z.object({ type: z.literal('lost') }),
  /** The agent's audio was played up to this position; later audio was dropped. */
  z.object({ type: z.literal('regained'), playedMs: z.number() }),
  /** The room has ended, or was never joined. `why` contains no personal data. */
  z.object({ type: z.literal('ended'), reason: RoomEnd, why: z.string() }),
  /** The bridge has left the room. */
  z.object({ type: z.literal('left') }),
]);
export type FromBridge = Readonly<z.infer<typeof FromBridge>>;
