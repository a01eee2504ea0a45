import type { Clock, Timer } from '../../contract/clock.js';
import { CallError } from '../../contract/errors.js';
import { systemClock } from '../../timing/system-clock.js';
import { BridgeProcess, type RoomListener } from './bridge-process.js';
import { BridgedRoom } from './bridged-room.js';
import type { FromBridge } from './ipc-messages.js';
import type { RoomConnector, RoomInvitation, RoomTransport } from './room-transport.js';

/** Rooms in one process. Limits how many rooms a native fault ends; performance allows more. */
const MAX_ROOMS = 25;
const MAX_PROCESSES = 16;
/** With fewer free places, another process is started. */
const MIN_FREE_PLACES = 5;
/** Rooms and age after which a process is replaced, as the native library leaks a little for each room. */
const MAX_SERVED = 250;
const MAX_AGE_MS = 6 * 3_600_000;
/** Wait before a failed process is restarted; it doubles up to the maximum. */
const FIRST_RETRY_DELAY_MS = 250;
const MAX_RETRY_DELAY_MS = 30_000;
/** Retry delay from which the pool reports that it cannot open rooms. */
const FAILING_DELAY_MS = 2_000;
/** Time limit for joining a room, until the caller has joined, too. */
const JOIN_MS = 25_000;

interface PoolLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface BridgePoolOptions {
  readonly log: PoolLog;
  readonly clock?: Clock;
  /** Time without a heartbeat before a process is killed, in milliseconds. */
  readonly silentMs?: number;
  readonly maxServed?: number;
  readonly maxRooms?: number;
}

interface Bridge {
  readonly process: BridgeProcess;
  readonly startedAt: number;
}

/** The bridge processes of a gateway. Starts with one process, so that no caller waits for it. */
export class BridgePool implements RoomConnector {
  readonly #options: BridgePoolOptions;
  readonly #clock: Clock;
  readonly #bridges = new Set<Bridge>();
  #retry: Timer | undefined;
  #retryMs = FIRST_RETRY_DELAY_MS;
  #isClosed = false;

  constructor(options: BridgePoolOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#startAhead();
  }

  get free(): number {
    return this.#isClosed || this.#isFailing ? 0 : MAX_PROCESSES * this.#maxRooms - this.rooms;
  }

  /** Number of open rooms. */
  get rooms(): number {
    return [...this.#bridges].reduce((sum, { process }) => sum + process.rooms, 0);
  }

  /** Process ids. */
  get pids(): readonly number[] {
    return [...this.#bridges].flatMap(({ process }) => process.pid ?? []);
  }

  join(invitation: RoomInvitation, signal: AbortSignal): Promise<RoomTransport> {
    if (this.free <= 0) return Promise.reject(new CallError('CLOSED', 'No room can be joined'));
    const { process } = this.#withPlace();
    const { url, token, callerIdentity } = invitation;
    return new Promise((resolve, reject) => {
      let room: BridgedRoom | undefined;
      let isGivenUp = false;
      const settle = () => {
        limit.cancel();
        signal.removeEventListener('abort', onAbort);
      };
      const fail = (why: string) => {
        settle();
        isGivenUp = true;
        reject(new CallError('TRANSPORT_LOST', `The room could not be joined: ${why}`));
      };
      const onMessage = (message: FromBridge) => {
        if (room) room.handle(message);
        else if (message.type === 'ended') fail(message.why);
        else if (message.type === 'joined' && !isGivenUp) {
          settle();
          room = new BridgedRoom(port, message.caller, this.#clock, (error) =>
            this.#options.log.warn({ err: error }, 'fault in the room of a call'),
          );
          resolve(room);
        }
      };
      const listener: RoomListener = {
        message: onMessage,
        audio: (samples) => room?.onAudio(samples),
        gap: (samples) => room?.onGap(samples),
        died: () => (room ? room.died() : fail('its bridge died')),
      };
      const port = process.open(listener);
      const giveUp = (why: string) => {
        port.send({ type: 'leave' });
        fail(why);
      };
      const onAbort = () => giveUp('it was called off');
      const limit = this.#clock.after(JOIN_MS, () => giveUp('it took too long'));
      signal.addEventListener('abort', onAbort, { once: true });
      port.send({ type: 'join', url, token, callerIdentity });
      this.#startAhead();
      if (signal.aborted) onAbort();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#retry?.cancel();
    await Promise.all([...this.#bridges].map(({ process }) => process.close()));
  }

  /** The processes exit right after their start: another gateway should take the call. */
  get #isFailing(): boolean {
    return (
      this.#bridges.size === 0 && this.#retry !== undefined && this.#retryMs >= FAILING_DELAY_MS
    );
  }

  get #maxRooms(): number {
    return this.#options.maxRooms ?? MAX_ROOMS;
  }

  /** The fullest process with a free place, so that the others become empty and can be closed. */
  #withPlace(): Bridge {
    const open = [...this.#bridges].filter((bridge) => this.#places(bridge) > 0);
    const [fullest = this.#start()] = open.sort((a, b) => b.process.rooms - a.process.rooms);
    return fullest;
  }

  #places({ process, startedAt }: Bridge): number {
    const isOld = this.#clock.now() - startedAt > MAX_AGE_MS;
    const maxServed = this.#options.maxServed ?? MAX_SERVED;
    if (isOld || process.served >= maxServed) return 0;
    return this.#maxRooms - process.rooms;
  }

  #startAhead(): void {
    if (this.#isClosed || this.#retry || this.#bridges.size >= MAX_PROCESSES) return;
    const places = [...this.#bridges].reduce((sum, bridge) => sum + this.#places(bridge), 0);
    if (places < Math.min(MIN_FREE_PLACES, this.#maxRooms)) this.#start();
  }

  #start(): Bridge {
    const startedAt = this.#clock.now();
    const process = new BridgeProcess({
      clock: this.#clock,
      silentMs: this.#options.silentMs,
      onExit: (why) => this.#onExit(bridge, why),
      onFault: (why) => this.#options.log.warn({ why }, 'fault in a bridge process to LiveKit'),
      onLeft: () => this.#closeIfUnneeded(bridge),
    });
    const bridge = { process, startedAt };
    this.#bridges.add(bridge);
    return bridge;
  }

  /** Closes a process without rooms if it is old, or if the others have enough free places. */
  #closeIfUnneeded(bridge: Bridge): void {
    if (bridge.process.rooms > 0 || this.#isClosed) return;
    const others = [...this.#bridges].filter((other) => other !== bridge);
    const places = others.reduce((sum, other) => sum + this.#places(other), 0);
    if (this.#places(bridge) > 0 && places < MIN_FREE_PLACES) return;
    this.#bridges.delete(bridge);
    void bridge.process.close();
    this.#startAhead();
  }

  #onExit(bridge: Bridge, why: string): void {
    const wasInUse = this.#bridges.delete(bridge);
    if (!wasInUse || this.#isClosed) return;
    this.#options.log.warn({ why }, 'a bridge process to LiveKit ended; another is started');
    const isNew = this.#clock.now() - bridge.startedAt < MAX_RETRY_DELAY_MS;
    this.#retryMs = isNew ? Math.min(this.#retryMs * 2, MAX_RETRY_DELAY_MS) : FIRST_RETRY_DELAY_MS;
    this.#retry?.cancel();
    this.#retry = this.#clock.after(this.#retryMs, () => {
      this.#retry = undefined;
      this.#startAhead();
    });
  }
}
