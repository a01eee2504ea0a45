import { expect, it } from 'vitest';
import { Call } from '../../../agents-runtime/session/call.js';
import { harness } from '../../support/harness/call/call-harness.js';

const never = () => new Promise<never>(() => undefined);

it.each(['turn', 'ended'] as const)(
  'a call log that cannot be written (%s) keeps the connection open for at most 5 s',
  async (what) => {
    const call = harness({
      begin: (parts) => new Call({ ...parts, callLog: { ...parts.callLog, [what]: never } }),
    });
    call.call.connected();
    await call.say('hello there', 600);
    await call.silence(3_000);
    call.call.hangUp('agent_hangup');
    await call.clock.run(4_900);
    expect(call.transport.isClosed).toBe(false);
    await call.clock.run(200);
    expect(call.transport.events.at(-1)).toEqual({ type: 'end', reason: 'agent_hangup' });
    expect(call.transport.isClosed).toBe(true);
    // The call's slot is released with its record.
    expect(call.ended()).toBeUndefined();
    await call.clock.run(100);
    expect(call.clock.pending).toBe(0);
  },
);
