import type { Logger } from 'pino';
import type { Clock } from '../../../agents-runtime/contract/clock.js';
import type { FrameTicker } from '../../../agents-runtime/timing/frame-ticker.js';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import type {
  CarrierLink,
  CarrierTraits,
} from '../../../agents-runtime/transports/telephony/carrier.js';
import { PhoneTransport } from '../../../agents-runtime/transports/telephony/phone-transport.js';
import type { CallSessionFactory, ClaimRefusal } from './call-session.factory.js';

/** A carrier's media connection for a call. */
export interface IncomingMedia {
  readonly callId: string;
  readonly link: CarrierLink;
  readonly traits: CarrierTraits;
  readonly log: Logger;
}

export interface MediaConnectorParts {
  readonly sessions: Pick<CallSessionFactory, 'claim'>;
  /** The audio clock that all calls share. */
  readonly ticker: FrameTicker;
  readonly clock?: Clock;
}

/** Connects reserved calls with the media of any carrier. */
export class MediaConnector {
  readonly #parts: MediaConnectorParts;

  constructor(parts: MediaConnectorParts) {
    this.#parts = parts;
  }

  /**
   * Returns the transport at once; it receives all events from now on. The call starts when it is
   * claimed. If it is refused, the transport hangs up, or only closes if another one has the call.
   */
  connect(
    media: IncomingMedia,
    onRefused: (why: ClaimRefusal) => void = () => undefined,
  ): PhoneTransport {
    const { callId, link, traits } = media;
    const log = media.log.child({ callId });
    const transport = new PhoneTransport({
      clock: this.#parts.clock ?? systemClock,
      ticker: this.#parts.ticker,
      link,
      traits,
      onFault: (fault) => log.warn({ fault }, 'Ignored a message of the carrier that is not valid'),
    });
    this.#begin(transport, callId, log, onRefused).catch((error: unknown) => {
      log.error({ err: error }, 'The call could not begin');
      transport.close();
    });
    return transport;
  }

  async #begin(
    transport: PhoneTransport,
    callId: string,
    log: Logger,
    onRefused: (why: ClaimRefusal) => void,
  ): Promise<void> {
    const claimed = await this.#parts.sessions.claim(callId, { mustBeDeployed: true });
    if (typeof claimed === 'string') {
      log.info({ why: claimed }, 'Refused the media connection of a call');
      onRefused(claimed);
      // Another transport may have the call. The carrier's call must continue.
      if (claimed === 'not_reserved') transport.detach('error_transport');
      transport.close();
      return;
    }
    if (transport.isOver) {
      // The call may have ended before its connection.
      transport.close();
      await claimed.cancel();
      return;
    }
    try {
      claimed.start(transport, { log, phone: transport }, (call) => transport.start(call));
    } catch (error) {
      await claimed.cancel();
      throw error;
    }
  }
}
