import type { LoggedTurn } from '../../../agents-runtime/contract/call-log.js';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import type { AgentState, CallEvent } from '../../../agents-runtime/contract/transport.js';
import type { AudioMixer } from './audio-mixer.js';
import { fromTurn, fromWire, type LiveEvent, type RunningCall } from './live-event.js';

/** Somebody who watches the calls of an account, or one of them. */
export interface LiveWatcher {
  readonly accountId: string;
  /** Left out: all of them. */
  readonly callId?: string | undefined;
  /** Never waits, and keeps nothing back: who cannot take it is the watcher's business. */
  tell(event: LiveEvent): void;
  /** No more will come: this gateway stops. */
  closed(): void;
}

/** One running call as watchers see it. While nobody watches it makes no events at all. */
export class CallFeed {
  readonly accountId: string;
  readonly call: RunningCall;
  /** Undefined for a call without. */
  sound: AudioMixer | undefined;
  readonly #hub: LiveEventBus;
  #state: AgentState = 'initializing';

  constructor(hub: LiveEventBus, accountId: string, call: RunningCall) {
    this.#hub = hub;
    this.accountId = accountId;
    this.call = call;
  }

  /** The call as it is now. */
  get running(): LiveEvent {
    return { type: 'call', ...this.call, state: this.#state };
  }

  /** An event that the call sends to its client. */
  send(event: CallEvent): void {
    if (event.type === 'state') this.#state = event.state;
    if (!this.#hub.isWatched(this.accountId)) return;
    const told = fromWire(this.call.call_id, event);
    if (told) this.#hub.tell(this.accountId, told);
  }

  /** A turn that has been stored. */
  turn(turn: LoggedTurn): void {
    if (!this.#hub.isWatched(this.accountId)) return;
    this.#hub.tell(this.accountId, fromTurn(this.call.call_id, turn));
  }

  /** The call's record is written. Called once. */
  ended(reason: EndedReason): void {
    this.#hub.end(this, reason);
  }
}

/** The running calls of this gateway, and who watches them here. */
export class LiveEventBus {
  readonly #feeds = new Map<string, CallFeed>();
  readonly #watchers = new Map<string, Set<LiveWatcher>>();

  /** A call begins. */
  begin(accountId: string, call: RunningCall): CallFeed {
    const feed = new CallFeed(this, accountId, call);
    this.#feeds.set(call.call_id, feed);
    this.tell(accountId, feed.running);
    return feed;
  }

  /** The call's feed where this gateway holds it. */
  find(callId: string): CallFeed | undefined {
    return this.#feeds.get(callId);
  }

  isWatched(accountId: string): boolean {
    return this.#watchers.has(accountId);
  }

  /** How many watch an account's calls here. */
  watchers(accountId: string): number {
    return this.#watchers.get(accountId)?.size ?? 0;
  }

  /** Tells of what runs now, and from now on of what happens. @returns how to stop. */
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

  /** Sends everybody away. */
  close(): void {
    for (const watcher of [...this.#watchers.values()].flatMap((all) => [...all])) watcher.closed();
  }
}
