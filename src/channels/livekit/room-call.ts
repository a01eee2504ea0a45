import type { Logger } from 'pino';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import { CallError } from '../../../agents-runtime/contract/errors.js';
import type {
  RoomConnector,
  RoomInvitation,
  RoomTransport,
} from '../../../agents-runtime/transports/livekit/room-transport.js';
import type { CallRegistry, PhoneControls } from '../../calls/session/call-registry.js';
import type { CallSessionFactory, ClaimRefusal } from '../../calls/session/call-session.factory.js';
import type { CallSession } from '../../calls/session/call-session.js';
import type { SipInbound, WantedAgent } from './sip-inbound.js';

type Session = Pick<CallSession, 'start' | 'cancel'>;

/** Claims calls for this gateway; see `CallSessionFactory`. */
export interface SessionClaimer {
  claim(...call: Parameters<CallSessionFactory['claim']>): Promise<Session | ClaimRefusal>;
}

export interface RoomCallParts {
  readonly rooms: RoomConnector;
  readonly sessions: SessionClaimer;
  readonly phones: Pick<SipInbound, 'reserve'>;
  readonly live: Pick<CallRegistry, 'get'>;
  readonly log: Logger;
}

/** What became of a room's call: it was held to its end, or why it never began. */
export type RoomCallOutcome = EndedReason | { readonly notBegun: string };

/** One call in one room, from the assignment of its job to its end. */
export class RoomCall {
  readonly #parts: RoomCallParts;
  readonly #invitation: RoomInvitation;
  /** For whom the agent comes, where the call is not made yet. */
  readonly #wanted: WantedAgent | undefined;
  readonly #coming = new AbortController();
  readonly #log: Logger;
  #hasBegun = false;

  constructor(parts: RoomCallParts, invitation: RoomInvitation, wanted: WantedAgent | undefined) {
    this.#parts = parts;
    this.#invitation = invitation;
    this.#wanted = wanted;
    this.#log = parts.log.child({ callId: invitation.callId });
  }

  /** The caller and the agent hear each other. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Holds the call; resolves when it is over, or when it is clear that it will not be. */
  async hold(): Promise<RoomCallOutcome> {
    try {
      return this.#wanted ? await this.#answer(this.#wanted) : await this.#meet();
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      return { notBegun: error.message };
    }
  }

  /** Gives the call up, begun or not. */
  leave(reason: EndedReason): void {
    if (this.#hasBegun) this.#parts.live.get(this.#invitation.callId)?.call.hangUp(reason);
    else this.#coming.abort();
  }

  /** The client's call exists already: the gateway claims it before it joins the room. */
  async #meet(): Promise<RoomCallOutcome> {
    const session = await this.#claim();
    if (typeof session === 'string') return { notBegun: session };
    let wire: RoomTransport;
    try {
      wire = await this.#join();
    } catch (error) {
      await session.cancel();
      throw error;
    }
    await this.#untilHeard(wire);
    return this.#begin(session, wire);
  }

  /** Who telephones is answered at once; then the call is made, of what is known in the room. */
  async #answer(wanted: WantedAgent): Promise<RoomCallOutcome> {
    const { callId } = this.#invitation;
    const wire = await this.#join();
    try {
      const refusal = await this.#parts.phones.reserve(callId, wanted, wire.caller);
      if (!refusal) await this.#untilHeard(wire);
      const session = refusal ?? (await this.#claim());
      if (typeof session !== 'string') return await this.#begin(session, wire);
      this.#log.warn({ refusal: session }, 'a caller in a room was refused');
      return { notBegun: session };
    } finally {
      wire.close();
    }
  }

  /** What is said before that is lost. Resolves also when the call is given up. */
  #untilHeard(wire: RoomTransport): Promise<void> {
    const { signal } = this.#coming;
    const givenUp = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    return Promise.race([wire.hasCallerSubscribed, givenUp]);
  }

  #claim() {
    const { callId } = this.#invitation;
    return this.#parts.sessions.claim(callId, { mustBeDeployed: this.#wanted !== undefined });
  }

  #join(): Promise<RoomTransport> {
    return this.#parts.rooms.join(this.#invitation, this.#coming.signal);
  }

  async #begin(session: Session, wire: RoomTransport): Promise<RoomCallOutcome> {
    if (this.#coming.signal.aborted) {
      wire.close();
      await session.cancel();
      return { notBegun: 'it was called off' };
    }
    let onEnded: (reason: EndedReason) => void = () => undefined;
    const ended = new Promise<EndedReason>((resolve) => {
      onEnded = resolve;
    });
    try {
      const phone = wire.caller.isPhone ? { phone: controlsOf(wire) } : {};
      session.start(wire, { log: this.#log, onEnded, ...phone }, (call) => {
        this.#hasBegun = true;
        wire.start(call);
      });
    } catch (error) {
      wire.close();
      await session.cancel();
      throw error;
    }
    const reason = await ended;
    // What the agent says last is heard before the room is closed.
    wire.close();
    await wire.left;
    return reason;
  }
}

/** LiveKit SIP presses keys; giving a caller away would need a trunk of its own to dial over. */
function controlsOf(wire: RoomTransport): PhoneControls {
  return {
    sendKeys: (keys) => wire.sendKeys(keys),
    canTransfer: false,
    transfer: async () => 'refused',
  };
}
