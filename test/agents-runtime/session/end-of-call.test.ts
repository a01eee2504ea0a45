import { describe, expect, it } from 'vitest';
import { Call } from '../../../agents-runtime/session/call.js';
import type { VirtualClock } from '../../support/harness/audio/virtual-clock.js';
import { type HarnessOptions, harness, sleep } from '../../support/harness/call/call-harness.js';

const LIMIT_MS = 4_000;

/** A call that ends at its time limit, with a call log whose writes take 30 ms each. */
function limited(options: HarnessOptions = {}) {
  const written: string[] = [];
  let clock: VirtualClock | undefined;
  const call = harness({
    ...options,
    config: { maxCallDurationMs: LIMIT_MS, userSilenceTimeoutMs: 0 },
    begin: (parts) =>
      new Call({
        ...parts,
        callLog: {
          ...parts.callLog,
          turn: async (turn) => {
            await sleep(clock!, 30);
            written.push(`${turn.role}: ${turn.text}${turn.cut ? ' (cut)' : ''}`);
          },
          ended: async (reason) => void written.push(`ended: ${reason}`),
        },
      }),
  });
  clock = call.clock;
  call.call.connected();
  return { ...call, written };
}

describe('call that ends itself', () => {
  it('records the played part of an unfinished goodbye', async () => {
    // The goodbye's second sentence comes too late for the limit.
    const call = limited({ voiceMs: 3_900 });
    await call.silence(LIMIT_MS + 6_000);
    expect(call.written).toEqual(['agent: Our time is up. (cut)', 'ended: max_duration_reached']);
    expect(call.shown()).toEqual(['agent: Our time is up.']);
  });

  it("records the caller's last words before its end", async () => {
    const call = limited({ voiceMs: 3_900 });
    await call.silence(LIMIT_MS + 3_500);
    await call.say('one more thing', 1_500);
    await call.clock.run(5_000);
    expect(call.written).toEqual([
      'agent: Our time is up. (cut)',
      'user: one more thing',
      'ended: max_duration_reached',
    ]);
    expect(call.transport.events.at(-1)).toEqual({ type: 'end', reason: 'max_duration_reached' });
    expect(call.clock.pending).toBe(0);
  });

  it('leaves no timer behind if a voice that failed twice ends it', async () => {
    const call = harness({ voiceFailsAfter: () => 0 });
    call.call.connected();
    await call.say('tell me', 600);
    await call.silence(4_000);
    expect(call.ended()).toBe('error_tts');
    expect(call.texts('user')).toEqual(['tell me']);
    expect(call.clock.pending).toBe(0);
  });
});
