import { callIdOf } from '../../calls/inbound/carrier-call-id.js';
import { isUuid } from '../../platform/http/validation/schema-builders.js';

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

/** LiveKit SIP has made it for a telephone. */
export function isPhoneRoom(name: string): boolean {
  return name.startsWith(`${PHONE_ROOM_PREFIX}_`);
}

/**
 * The call of a room of ours: a telephone's is found by the room's own id, so that whoever sees the room
 * knows the call, and two jobs for one room are one call.
 */
export function callOfRoom(name: string, sid: string): string | undefined {
  if (isPhoneRoom(name)) return callOfSid(sid);
  const callId = name.startsWith(WEB) ? name.slice(WEB.length) : '';
  return isUuid(callId) ? callId : undefined;
}

/** The call of a room that is none of a client's. */
export function callOfSid(sid: string): string {
  return callIdOf('livekit', sid);
}
