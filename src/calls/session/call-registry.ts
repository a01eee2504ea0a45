import { randomBytes } from 'node:crypto';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import type { CallInput } from '../../../agents-runtime/contract/transport.js';
import type { WebSocketTransport } from '../../../agents-runtime/transports/websocket/websocket-transport.js';
import { isSameHash } from '../../platform/secrets/timing-safe-equal.js';

/** For calls whose client can resume them over another socket. */
export interface Resumable {
  readonly socket: Pick<WebSocketTransport, 'resume'>;
  /** Secret of the call's client. */
  readonly token: string;
}

/** Controls of a telephone call. */
export interface PhoneControls {
  /** Sends DTMF digits. @returns false if the call is over */
  sendKeys(keys: string): boolean;
  readonly canTransfer: boolean;
  /** Transfers the caller to a number (E.164). If the carrier refuses, the call continues. */
  transfer(target: string): Promise<'done' | 'refused' | 'ending'>;
}

export interface LiveCall {
  /** The running call: receives its input and commands. */
  readonly call: CallInput;
  /** For telephone calls. */
  readonly phone?: PhoneControls;
  readonly resumable?: Resumable;
  /** Ends the call; resolves when its record is written. */
  readonly end: (reason: EndedReason) => Promise<void>;
}

/** The calls that this gateway holds. */
export class CallRegistry {
  readonly #calls = new Map<string, LiveCall>();
  /** Calls that are being claimed, or are claimed and have not started yet. */
  #opening = 0;
  #onEmpty: () => void = () => undefined;
  /** Work that runs only while there are calls. */
  readonly #work: { readonly start: () => () => void; stop?: (() => void) | undefined }[] = [];
  #isDraining = false;
  #isClosed = false;

  /** A token with which a client resumes its call: the call's id and a secret. */
  static makeResumeToken(callId: string): string {
    return `${callId}.${randomBytes(32).toString('base64url')}`;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Whether new calls are refused. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Whether the drain is over, so that no call can start. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Counts a call that is about to start, so that a drain waits for it.
   * @returns a function for when it has started or will not start; undefined while this gateway drains
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

  /**
   * Runs work only while there are calls.
   * @param start - called when the first call is added. Returns a function that stops the work, which is
   *   called when the last call is removed.
   */
  whileActive(start: () => () => void): void {
    this.#work.push({ start });
  }

  add(callId: string, live: LiveCall): void {
    this.#calls.set(callId, live);
    for (const work of this.#work) work.stop ??= work.start();
  }

  remove(callId: string): void {
    this.#calls.delete(callId);
    if (this.#calls.size === 0) {
      for (const work of this.#work) {
        work.stop?.();
        work.stop = undefined;
      }
    }
    this.#checkEmpty();
  }

  get(callId: string): LiveCall | undefined {
    return this.#calls.get(callId);
  }

  ids(): readonly string[] {
    return [...this.#calls.keys()];
  }

  /** The call of a resume token. Compares in constant time. */
  findByResumeToken(token: string): (LiveCall & { readonly resumable: Resumable }) | undefined {
    const live = this.#calls.get(token.split('.')[0] ?? '');
    const { resumable } = live ?? {};
    if (!live || !resumable) return undefined;
    const [given, known] = [Buffer.from(token), Buffer.from(resumable.token)];
    const isSame = isSameHash(given, known);
    return isSame ? { ...live, resumable } : undefined;
  }

  /**
   * Refuses new calls and waits for those that run or are about to start. After `ms`, running calls are
   * ended, and the others cannot start.
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
