import { FrameTicker } from '../../agents-runtime/audio/frame-ticker.js';
import { Call } from '../../agents-runtime/call/call.js';
import { PhoneLine } from '../../agents-runtime/transports/telephony/phone-line.js';
import { type HarnessOptions, harness } from './call-harness.js';
import { PlayingCarrier, type PlayingCarrierOptions } from './playing-carrier.js';

export interface PhoneHarnessOptions extends HarnessOptions {
  readonly carrier?: Omit<PlayingCarrierOptions, 'clock'>;
  /** By default it does, as JSON carriers do. */
  readonly buffers?: boolean;
}

/** A whole call over a telephone line, with scripted models, on a virtual clock. */
export function phoneHarness({
  carrier: way,
  buffers = true,
  ...options
}: PhoneHarnessOptions = {}) {
  const made: { line: PhoneLine; carrier: PlayingCarrier }[] = [];
  const kit = harness({
    ...options,
    begin(parts) {
      const carrier = new PlayingCarrier({ clock: parts.clock, ...way });
      const line = new PhoneLine({
        clock: parts.clock,
        ticker: new FrameTicker(parts.clock),
        link: carrier,
        traits: { sampleRate: way?.sampleRate ?? 8_000, buffers },
      });
      carrier.onEvent = (event) => line.handle(event);
      made.push({ line, carrier });
      return new Call({ ...parts, transport: line });
    },
  });
  // The client of the plain harness has no part in this.
  kit.transport.isClosed = true;
  const { line, carrier } = made[0]!;
  return { ...kit, line, carrier };
}
