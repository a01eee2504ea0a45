import { randomBytes } from 'node:crypto';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import type { CallInput } from '../../../agents-runtime/contract/transport.js';
import type { WebSocketTransport } from '../../../agents-runtime/transports/websocket/websocket-transport.js';
import { isSameHash } from '../../platform/secrets/timing-safe-equal.js';

/** Of calls whose client may take them up again over another socket. */
export interface Resumable {
  readonly socket: Pick<WebSocketTransport, 'resume'>;
  /** Whoever has it is the call's client. */
  readonly token: string;
}

/** What a telephone's line can do beside carrying a call. */
export interface PhoneControls {
  /** @returns false where the call is over. */
  sendKeys(keys: string): boolean;
  readonly canTransfer: boolean;
  /** Gives the caller to this number (E.164); a call whose carrier refuses goes on. */
  transfer(target: string): Promise<'done' | 'refused' | 'ending'>;
}

export interface LiveCall {
  readonly call: CallInput;
  /** Of calls over a telephone line. */
  readonly phone?: PhoneControls;
  readonly resumable?: Resumable;
  /** Ends it; resolves when its record is written. */
  readonly end: (reason: EndedReason) => Promise<void>;
}

/** The calls that this gateway holds. */
export class CallRegistry {
  readonly #calls = new Map<string, LiveCall>();
  /** Calls that are being opened: taken, and not begun yet. */
  #opening = 0;
  #onEmpty: () => void = () => undefined;
  #isDraining = false;
  #isClosed = false;

  /** A token by which the client of a broken socket takes up its call: which call, and a secret. */
  static makeResumeToken(callId: string): string {
    return `${callId}.${randomBytes(32).toString('base64url')}`;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** No call is let in any more. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** The drain is over: what serves calls is being closed, and no call can begin. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Counts a call that is being opened, so that a drain waits for it.
   * @returns how to uncount it, once it has begun or will not; undefined while this gateway drains.
   */
  trackOpening(): (() => void) | undefined {
    if (this.#isDraining) return undefined;
    this.#opening++;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#opening--;
      this.#checkEmpty();
    };
  }

  add(callId: string, live: LiveCall): void {
    this.#calls.set(callId, live);
  }

  remove(callId: string): void {
    this.#calls.delete(callId);
    this.#checkEmpty();
  }

  get(callId: string): LiveCall | undefined {
    return this.#calls.get(callId);
  }

  ids(): readonly string[] {
    return [...this.#calls.keys()];
  }

  /** The call that a resume token belongs to, compared in constant time. */
  findByResumeToken(token: string): (LiveCall & { readonly resumable: Resumable }) | undefined {
    const live = this.#calls.get(token.split('.')[0] ?? '');
    const { resumable } = live ?? {};
    if (!live || !resumable) return undefined;
    const [given, known] = [Buffer.from(token), Buffer.from(resumable.token)];
    const isSame = isSameHash(given, known);
    return isSame ? { ...live, resumable } : undefined;
  }

  /**
   * Lets no more calls in and waits for those that run or are being opened. After `ms` running calls
   * are ended, and those that are still being opened cannot begin.
   */
  async drain(ms: number): Promise<void> {
    this.#isDraining = true;
    if (this.#calls.size > 0 || this.#opening > 0) {
      const empty = new Promise<void>((resolve) => {
        this.#onEmpty = resolve;
      });
      const limit = setTimeout(() => {
        this.#isClosed = true;
        this.endAll('drained');
        this.#checkEmpty();
      }, ms);
      await empty;
      clearTimeout(limit);
    }
    this.#isClosed = true;
  }

  endAll(reason: EndedReason): void {
    for (const { call } of this.#calls.values()) call.hangUp(reason);
  }

  #checkEmpty(): void {
    const isOpening = this.#opening > 0 && !this.#isClosed;
    if (this.#calls.size === 0 && !isOpening) this.#onEmpty();
  }
}
