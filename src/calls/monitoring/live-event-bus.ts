import type { LoggedTurn } from '../../../agents-runtime/contract/call-log.js';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import type { AgentState, CallEvent } from '../../../agents-runtime/contract/transport.js';
import type { AudioMixer } from './audio-mixer.js';
import { fromCallEvent, fromTurn, type LiveEvent, type RunningCall } from './live-event.js';

/** A subscriber to the calls of an account, or to one of them. */
export interface LiveWatcher {
  readonly accountId: string;
  /** Default: all calls of the account. */
  readonly callId?: string | undefined;
  /** Receives each event. Must not block; the watcher handles its own backlog. */
  tell(event: LiveEvent): void;
  /** Called when this gateway stops. No event follows. */
  closed(): void;
}

/** One running call for watchers. Without watchers it creates no events. */
export class CallFeed {
  readonly accountId: string;
  readonly call: RunningCall;
  /** Undefined if the call has no mixer. */
  sound: AudioMixer | undefined;
  readonly #eventBus: LiveEventBus;
  #state: AgentState = 'initializing';

  constructor(eventBus: LiveEventBus, accountId: string, call: RunningCall) {
    this.#eventBus = eventBus;
    this.accountId = accountId;
    this.call = call;
  }

  /** The current state of the call as an event. */
  get running(): LiveEvent {
    return { type: 'call', ...this.call, state: this.#state };
  }

  /** Publishes an event that the call sends to its client. */
  send(event: CallEvent): void {
    if (event.type === 'state') this.#state = event.state;
    if (!this.#eventBus.isWatched(this.accountId)) return;
    const liveEvent = fromCallEvent(this.call.call_id, event);
    if (liveEvent) this.#eventBus.tell(this.accountId, liveEvent);
  }

  /** Publishes a turn that has been stored. */
  turn(turn: LoggedTurn): void {
    if (!this.#eventBus.isWatched(this.accountId)) return;
    this.#eventBus.tell(this.accountId, fromTurn(this.call.call_id, turn));
  }

  /** Publishes the end. Called once, when the record of the call is written. */
  ended(reason: EndedReason): void {
    this.#eventBus.end(this, reason);
  }
}

/** The running calls of this gateway and their watchers. */
export class LiveEventBus {
  readonly #feeds = new Map<string, CallFeed>();
  readonly #watchers = new Map<string, Set<LiveWatcher>>();

  /** Registers a call that begins. */
  begin(accountId: string, call: RunningCall): CallFeed {
    const feed = new CallFeed(this, accountId, call);
    this.#feeds.set(call.call_id, feed);
    this.tell(accountId, feed.running);
    return feed;
  }

  /** The feed of a call; undefined if this gateway does not hold the call. */
  find(callId: string): CallFeed | undefined {
    return this.#feeds.get(callId);
  }

  isWatched(accountId: string): boolean {
    return this.#watchers.has(accountId);
  }

  /** The number of watchers of an account at this gateway. */
  watchers(accountId: string): number {
    return this.#watchers.get(accountId)?.size ?? 0;
  }

  /** Publishes the running calls to the watcher, then all further events. @returns a function that stops this */
  watch(watcher: LiveWatcher): () => void {
    const { accountId, callId } = watcher;
    const all = this.#watchers.get(accountId) ?? new Set();
    this.#watchers.set(accountId, all.add(watcher));
    for (const feed of this.#feeds.values()) {
      const isMeant = callId === undefined || callId === feed.call.call_id;
      if (feed.accountId === accountId && isMeant) watcher.tell(feed.running);
    }
    return () => {
      all.delete(watcher);
      if (all.size === 0 && this.#watchers.get(accountId) === all) {
        this.#watchers.delete(accountId);
      }
    };
  }

  tell(accountId: string, event: LiveEvent): void {
    for (const watcher of this.#watchers.get(accountId) ?? []) {
      if (watcher.callId === undefined || watcher.callId === event.call_id) watcher.tell(event);
    }
  }

  end(feed: CallFeed, reason: EndedReason): void {
    const { call_id } = feed.call;
    if (this.#feeds.get(call_id) !== feed) return;
    this.#feeds.delete(call_id);
    feed.sound?.close();
    this.tell(feed.accountId, { type: 'ended', call_id, reason });
  }

  /** Closes all watchers. */
  close(): void {
    for (const watcher of [...this.#watchers.values()].flatMap((all) => [...all])) watcher.closed();
  }
}
