import { callIdOf } from '../../calls/inbound/carrier-call-id.js';
import { isUuid } from '../../platform/http/validation/schema-builders.js';

const WEB = 'call-';
/** Prefix of the rooms that LiveKit SIP creates by our dispatch rules. */
export const PHONE_ROOM_PREFIX = 'phone';

/** The room of a client's call. */
export function roomOf(callId: string): string {
  return WEB + callId;
}

/** The identity of a call's client in its room. */
export function callerIdentityOf(callId: string): string {
  return `caller-${callId}`;
}

/** Whether LiveKit SIP created the room for a telephone call. */
export function isPhoneRoom(name: string): boolean {
  return name.startsWith(`${PHONE_ROOM_PREFIX}_`);
}

/**
 * The call of one of our rooms. The id of a telephone call is derived from the room's sid, so that two
 * jobs for one room are one call.
 */
export function callOfRoom(name: string, sid: string): string | undefined {
  if (isPhoneRoom(name)) return callOfSid(sid);
  const callId = name.startsWith(WEB) ? name.slice(WEB.length) : '';
  return isUuid(callId) ? callId : undefined;
}

/** The call of a room that was not created for a client. */
export function callOfSid(sid: string): string {
  return callIdOf('livekit', sid);
}
