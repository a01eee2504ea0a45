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
  /** By default it does, as JSON carriers do. */
  readonly buffers?: boolean;
  /** The gateway's thread is held up from then on, for so long (ms): the carrier's world goes on. */
  readonly heldUp?: { readonly atMs: number; readonly forMs: number };
}

/** Timers that are due while the thread is held up fire at its end. */
function heldUpClock(clock: Clock, { atMs, forMs }: { atMs: number; forMs: number }): Clock {
  const endMs = atMs + forMs;
  return {
    now: () => clock.now(),
    after(ms, act) {
      const due = clock.now() + Math.max(0, ms);
      return clock.after(due > atMs && due < endMs ? endMs - clock.now() : ms, act);
    },
  };
}

/** A whole call over a telephone line, with scripted models, on a virtual clock. */
export function phoneHarness({
  carrier: way,
  buffers = true,
  heldUp,
  ...options
}: PhoneHarnessOptions = {}) {
  const made: { line: PhoneTransport; carrier: VirtualCarrier }[] = [];
  const clock = new VirtualClock();
  const engineClock = heldUp ? heldUpClock(clock, heldUp) : clock;
  const kit = harness({
    ...options,
    clock,
    engineClock,
    begin(parts) {
      const carrier = new VirtualCarrier({ clock, ...way });
      const line = new PhoneTransport({
        clock: engineClock,
        ticker: new FrameTicker(engineClock),
        link: carrier,
        traits: { sampleRate: way?.sampleRate ?? 8_000, buffers },
      });
      carrier.onEvent = (event) => engineClock.after(0, () => line.handle(event));
      made.push({ line, carrier });
      return new Call({ ...parts, transport: line });
    },
  });
  // The client of the plain harness has no part in this.
  kit.transport.isClosed = true;
  const { line, carrier } = made[0]!;
  return { ...kit, line, carrier };
}
