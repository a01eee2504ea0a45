import { describe, expect, it } from 'vitest';
import { FromBridge } from '../../../../agents-runtime/transports/livekit/ipc-messages.js';

describe('bridge process messages', () => {
  it.each([
    { type: 'heartbeat', rooms: 2 },
    { type: 'joined', caller: { identity: 'anna', isPhone: false, attributes: { a: 'b' } } },
    { type: 'played', playedMs: 1_240 },
    { type: 'ended', reason: 'user_hangup', why: 'the caller left' },
    { type: 'left' },
  ])('accept %j', (message) => {
    expect(FromBridge.parse(message)).toEqual(message);
  });

  it.each([
    undefined,
    'left',
    { type: 'unknown' },
    { type: 'played', playedMs: '1240' },
    { type: 'joined', caller: { identity: 'anna' } },
    { type: 'ended', reason: 'insufficient_credits', why: '' },
  ])('reject %j', (message) => {
    expect(FromBridge.safeParse(message).success).toBe(false);
  });
});
