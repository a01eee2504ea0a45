import type { Clock } from '../../../../agents-runtime/contract/clock.js';
import { Call } from '../../../../agents-runtime/session/call.js';
import { FrameTicker } from '../../../../agents-runtime/timing/frame-ticker.js';
import { PhoneTransport } from '../../../../agents-runtime/transports/telephony/phone-transport.js';
import {
  VirtualCarrier,
  type VirtualCarrierOptions,
} from '../../../support/fakes/virtual-carrier.js';
import { VirtualClock } from '../../../support/harness/audio/virtual-clock.js';
import { type HarnessOptions, harness } from '../../../support/harness/call/call-harness.js';

export interface PhoneHarnessOptions extends HarnessOptions {
  readonly carrier?: Omit<VirtualCarrierOptions, 'clock'>;
  /** Whether the carrier buffers audio. Default: true, as JSON carriers do. */
  readonly buffers?: boolean;
  /**
   * Blocks the gateway's thread from `atMs` for `forMs` milliseconds while the carrier continues.
   */
  readonly stall?: { readonly atMs: number; readonly forMs: number };
}

/** Timers that become due while the thread is blocked fire at its end. */
function stalledClock(clock: Clock, { atMs, forMs }: { atMs: number; forMs: number }): Clock {
  const endMs = atMs + forMs;
  return {
    now: () => clock.now(),
    after(ms, act) {
      const due = clock.now() + Math.max(0, ms);
      return clock.after(due > atMs && due < endMs ? endMs - clock.now() : ms, act);
    },
  };
}

/** A complete call over a telephone transport, with scripted models on a virtual clock. */
export function phoneHarness({
  carrier: carrierOptions,
  buffers = true,
  stall,
  ...options
}: PhoneHarnessOptions = {}) {
  const made: { transport: PhoneTransport; carrier: VirtualCarrier }[] = [];
  const clock = new VirtualClock();
  const engineClock = stall ? stalledClock(clock, stall) : clock;
  const kit = harness({
    ...options,
    clock,
    engineClock,
    begin(parts) {
      const carrier = new VirtualCarrier({ clock, ...carrierOptions });
      const transport = new PhoneTransport({
        clock: engineClock,
        ticker: new FrameTicker(engineClock),
        link: carrier,
        traits: { sampleRate: carrierOptions?.sampleRate ?? 8_000, buffers },
      });
      carrier.onEvent = (event) => engineClock.after(0, () => transport.handle(event));
      made.push({ transport, carrier });
      return new Call({ ...parts, transport });
    },
  });
  // The client of the plain harness is not used here.
  kit.transport.isClosed = true;
  const { transport, carrier } = made[0]!;
  return { ...kit, transport, carrier };
}
