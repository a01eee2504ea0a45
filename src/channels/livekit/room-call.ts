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
import type { RoomAgent, SipInbound } from './sip-inbound.js';

type Session = Pick<CallSession, 'start' | 'cancel'>;

/** Claims calls for this gateway; see `CallSessionFactory`. */
export interface SessionClaimer {
  claim(...call: Parameters<CallSessionFactory['claim']>): Promise<Session | ClaimRefusal>;
}

export interface RoomCallParts {
  readonly rooms: RoomConnector;
  readonly sessions: SessionClaimer;
  readonly sipInbound: Pick<SipInbound, 'reserve'>;
  readonly registry: Pick<CallRegistry, 'get'>;
  readonly log: Logger;
}

/** Why a room's call ended, or why it did not start. */
export type RoomCallOutcome = EndedReason | { readonly notBegun: string };

/** One call in one room, from the assignment of its job to its end. */
export class RoomCall {
  readonly #parts: RoomCallParts;
  readonly #invitation: RoomInvitation;
  /** The agent of a call that is not reserved yet. */
  readonly #agent: RoomAgent | undefined;
  readonly #abort = new AbortController();
  readonly #log: Logger;
  #hasBegun = false;

  constructor(parts: RoomCallParts, invitation: RoomInvitation, agent: RoomAgent | undefined) {
    this.#parts = parts;
    this.#invitation = invitation;
    this.#agent = agent;
    this.#log = parts.log.child({ callId: invitation.callId });
  }

  /** Caller and agent are connected. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Runs the call; resolves when it has ended or cannot start. */
  async hold(): Promise<RoomCallOutcome> {
    try {
      return this.#agent ? await this.#answer(this.#agent) : await this.#joinClaimed();
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      return { notBegun: error.message };
    }
  }

  /** Ends the call, whether it has started or not. */
  leave(reason: EndedReason): void {
    if (this.#hasBegun) this.#parts.registry.get(this.#invitation.callId)?.call.hangUp(reason);
    else this.#abort.abort();
  }

  /** Claims the call, which the client has reserved, before the gateway joins the room. */
  async #joinClaimed(): Promise<RoomCallOutcome> {
    const session = await this.#claim();
    if (typeof session === 'string') return { notBegun: session };
    let transport: RoomTransport;
    try {
      transport = await this.#join();
    } catch (error) {
      await session.cancel();
      throw error;
    }
    await this.#callerSubscribed(transport);
    return this.#begin(session, transport);
  }

  /** Joins the room, which answers the phone. Then reserves the call with the caller's attributes. */
  async #answer(agent: RoomAgent): Promise<RoomCallOutcome> {
    const { callId } = this.#invitation;
    const transport = await this.#join();
    try {
      const refusal = await this.#parts.sipInbound.reserve(callId, agent, transport.caller);
      if (!refusal) await this.#callerSubscribed(transport);
      const session = refusal ?? (await this.#claim());
      if (typeof session !== 'string') return await this.#begin(session, transport);
      this.#log.warn({ refusal: session }, 'Refused a caller in a LiveKit room');
      return { notBegun: session };
    } finally {
      transport.close();
    }
  }

  /** Audio is lost until the caller has subscribed. Resolves also when the call is aborted. */
  #callerSubscribed(transport: RoomTransport): Promise<void> {
    const { signal } = this.#abort;
    const givenUp = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    return Promise.race([transport.hasCallerSubscribed, givenUp]);
  }

  #claim() {
    const { callId } = this.#invitation;
    return this.#parts.sessions.claim(callId, { mustBeDeployed: this.#agent !== undefined });
  }

  #join(): Promise<RoomTransport> {
    return this.#parts.rooms.join(this.#invitation, this.#abort.signal);
  }

  async #begin(session: Session, transport: RoomTransport): Promise<RoomCallOutcome> {
    if (this.#abort.signal.aborted) {
      transport.close();
      await session.cancel();
      return { notBegun: 'the call was aborted' };
    }
    let onEnded: (reason: EndedReason) => void = () => undefined;
    const ended = new Promise<EndedReason>((resolve) => {
      onEnded = resolve;
    });
    try {
      const phone = transport.caller.isPhone ? { phone: controlsOf(transport) } : {};
      session.start(transport, { log: this.#log, onEnded, ...phone }, (call) => {
        this.#hasBegun = true;
        transport.start(call);
      });
    } catch (error) {
      transport.close();
      await session.cancel();
      throw error;
    }
    const reason = await ended;
    // The last audio of the agent must be played before the room is closed.
    transport.close();
    await transport.left;
    return reason;
  }
}

/** LiveKit SIP sends DTMF. A transfer would need an outbound trunk. */
function controlsOf(transport: RoomTransport): PhoneControls {
  return {
    sendKeys: (keys) => transport.sendKeys(keys),
    canTransfer: false,
    transfer: async () => 'refused',
  };
}
