import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { FrameTicker } from '../../../agents-runtime/timing/frame-ticker.js';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import type { CarrierLink } from '../../../agents-runtime/transports/telephony/carrier.js';
import type { ClaimRefusal } from '../../../src/calls/session/call-session.factory.js';
import { MediaConnector } from '../../../src/calls/session/media-connector.js';

/** The actions sent to the carrier when its media arrives for a call that is refused. */
async function actionsAfter(why: ClaimRefusal): Promise<readonly string[]> {
  const actions: string[] = [];
  const link: CarrierLink = {
    backlogBytes: 0,
    act: ({ type }) => actions.push(type),
    close: () => actions.push('closed'),
  };
  const phones = new MediaConnector({
    sessions: {
      async claim(_, wish) {
        // Phone callers have no token for a test call.
        expect(wish).toEqual({ mustBeDeployed: true });
        return why;
      },
    },
    ticker: new FrameTicker(systemClock),
  });
  const traits = { sampleRate: 8_000, buffers: true };
  phones.connect({ callId: 'c', link, traits, log: pino({ level: 'silent' }) });
  await vi.waitFor(() => expect(actions).toContain('closed'), { timeout: 20_000 });
  return actions;
}

it('a refused call is hung up', async () => {
  expect(await actionsAfter('agent_not_deployed')).toEqual(['hangup', 'closed']);
  expect(await actionsAfter('concurrency_limit')).toEqual(['hangup', 'closed']);
});

it('the second media connection of a call is only closed, because a hang-up would end the first one', async () => {
  expect(await actionsAfter('not_reserved')).toEqual(['closed']);
});
