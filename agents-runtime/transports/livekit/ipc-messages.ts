import type { EndedReason } from '../../contract/ended-reason.js';
import type { CallEvent } from '../../contract/transport.js';
import type { RoomCaller } from './room-transport.js';

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
export type RoomEnd = Extract<EndedReason, 'user_hangup' | 'operator_ended' | 'error_transport'>;

/** A message from a bridge to the gateway about a room, or (room 0) about the process. */
export type FromBridge =
  | { readonly type: 'heartbeat'; readonly rooms: number }
  /** A fault that ended no room. */
  | { readonly type: 'fault'; readonly why: string }
  /** The agent and the caller have joined the room. */
  | { readonly type: 'joined'; readonly caller: RoomCaller }
  /** The caller has subscribed to the agent's track. */
  | { readonly type: 'caller-subscribed' }
  | { readonly type: 'played'; readonly playedMs: number }
  | { readonly type: 'typed'; readonly text: string }
  | { readonly type: 'dtmf'; readonly digit: string }
  | { readonly type: 'lost' }
  /** The agent's audio was played up to this position; later audio was dropped. */
  | { readonly type: 'regained'; readonly playedMs: number }
  /** The room has ended, or was never joined. `why` contains no personal data. */
  | { readonly type: 'ended'; readonly reason: RoomEnd; readonly why: string }
  /** The bridge has left the room. */
  | { readonly type: 'left' };
