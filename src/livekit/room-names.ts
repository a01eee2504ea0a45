import { createHash } from 'node:crypto';
import { isCallId } from '../calls/call-id.js';

const WEB = 'call-';
/** Rooms that LiveKit SIP makes by our dispatch rules begin like this. */
export const PHONE_ROOM_PREFIX = 'phone';

/** The room of a call that a client was told of. */
export function roomOf(callId: string): string {
  return WEB + callId;
}

/** Under which a call's client comes into its room. */
export function callerIdentityOf(callId: string): string {
  return `caller-${callId}`;
}

/**
 * The call of a room of ours: a telephone's is found by the room's own id, so that whoever sees the room
 * knows the call, and two jobs for one room are one call.
 */
export function callOfRoom(name: string, sid: string): string | undefined {
  if (name.startsWith(`${PHONE_ROOM_PREFIX}_`)) return callIdFrom(sid);
  const callId = name.startsWith(WEB) ? name.slice(WEB.length) : '';
  return isCallId(callId) ? callId : undefined;
}

/** A UUID (version 8) of a text. Source: RFC 9562 §5.8. */
export function callIdFrom(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
