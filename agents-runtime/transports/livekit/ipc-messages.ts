import type { EndedReason } from '../../contract/ended-reason.js';
import type { CallEvent } from '../../contract/transport.js';
import type { RoomCaller } from './room-transport.js';

/** Hz of the agent's audio in a room: WebRTC's own. */
export const ROOM_RATE = 48_000;

/** What the gateway tells a bridge about a room. Positions are ms of the agent's audio. */
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
  /** What was lost is over: the audio that comes next is at this position. */
  | { readonly type: 'seek'; readonly atMs: number }
  | { readonly type: 'tell'; readonly event: CallEvent }
  /** Keys that who telephones shall hear. */
  | { readonly type: 'keys'; readonly keys: string }
  | { readonly type: 'leave' };

/** Why a room ended by itself. */
export type RoomEnd = Extract<EndedReason, 'user_hangup' | 'operator_ended' | 'error_transport'>;

/** What a bridge tells the gateway about a room, or (room 0) about itself. */
export type FromBridge =
  | { readonly type: 'beat'; readonly rooms: number }
  /** Something went wrong that ended nothing. */
  | { readonly type: 'fault'; readonly why: string }
  /** The agent is in the room, and so is the caller. */
  | { readonly type: 'joined'; readonly caller: RoomCaller }
  /** The caller hears the agent from now on. */
  | { readonly type: 'hears' }
  | { readonly type: 'played'; readonly playedMs: number }
  | { readonly type: 'typed'; readonly text: string }
  | { readonly type: 'dtmf'; readonly digit: string }
  | { readonly type: 'lost' }
  /** What the agent said has been played up to here; what came later has been dropped. */
  | { readonly type: 'regained'; readonly playedMs: number }
  /** The room is over, or was never joined; `why` holds no words and no numbers of anybody. */
  | { readonly type: 'over'; readonly reason: RoomEnd; readonly why: string }
  /** The bridge has left the room. */
  | { readonly type: 'left' };
