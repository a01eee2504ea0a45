import type { Clock, Timer } from '../../contract/clock.js';
import { CallError } from '../../contract/errors.js';
import { systemClock } from '../../timing/system-clock.js';
import { BridgeProcess, type RoomListener } from './bridge-process.js';
import { BridgedRoom } from './bridged-room.js';
import type { FromBridge } from './ipc-messages.js';
import type { RoomInvitation, Rooms, RoomTransport } from './room-transport.js';

/** Rooms of one process: a cap for stability (a native fault ends them all), not for speed. */
const MAX_ROOMS = 25;
const MAX_PROCESSES = 16;
/** With fewer places left, another process is started ahead. */
const MIN_FREE_PLACES = 5;
/** Ended rooms leave a little behind in the native library: after so many, or so long, a process is let go. */
const MAX_SERVED = 250;
const OLDEST_MS = 6 * 3_600_000;
/** A process that died at once is started again after this, and each time after twice as long. */
const AGAIN_MS = 250;
const MAX_RETRY_DELAY_MS = 30_000;
/** Two that died one after the other may be chance. */
const FAILING_MS = 2_000;
/** A room is joined, and its caller has come, within this. */
const JOIN_MS = 25_000;

/** Where what happens to processes is told. */
interface RoomsLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface BridgePoolOptions {
  readonly log: RoomsLog;
  readonly clock?: Clock;
  /** A process that says nothing for so long is ended. */
  readonly silentMs?: number;
  readonly mostServed?: number;
  readonly mostRooms?: number;
}

interface Bridge {
  readonly process: BridgeProcess;
  readonly startedAt: number;
}

/** Opens rooms through bridge processes; one is started ahead, so that no caller waits for it. */
export function openRooms(options: BridgePoolOptions): BridgePool {
  return new BridgePool(options);
}

/** The bridge processes of a gateway. */
export class BridgePool implements Rooms {
  readonly #options: BridgePoolOptions;
  readonly #clock: Clock;
  readonly #bridges = new Set<Bridge>();
  #again: Timer | undefined;
  #againMs = AGAIN_MS;
  #isClosed = false;

  constructor(options: BridgePoolOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#startAhead();
  }

  get free(): number {
    return this.#isClosed || this.#isFailing ? 0 : MAX_PROCESSES * this.#mostRooms - this.rooms;
  }

  /** Rooms that are open now. */
  get rooms(): number {
    return [...this.#bridges].reduce((sum, { process }) => sum + process.rooms, 0);
  }

  /** The numbers of the running processes. */
  get pids(): readonly number[] {
    return [...this.#bridges].flatMap(({ process }) => process.pid ?? []);
  }

  join(invitation: RoomInvitation, signal: AbortSignal): Promise<RoomTransport> {
    if (this.free <= 0) return Promise.reject(new CallError('CLOSED', 'No room can be joined'));
    const { process } = this.#withPlace();
    const { url, token, callerIdentity } = invitation;
    return new Promise((resolve, reject) => {
      let wire: BridgedRoom | undefined;
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
        if (wire) wire.heard(message);
        else if (message.type === 'over') fail(message.why);
        else if (message.type === 'joined' && !isGivenUp) {
          settle();
          wire = new BridgedRoom(port, message.caller, this.#clock, (error) =>
            this.#options.log.warn({ err: error }, 'fault in the room of a call'),
          );
          resolve(wire);
        }
      };
      const ears: RoomListener = {
        message: onMessage,
        audio: (samples) => wire?.onAudio(samples),
        gap: (samples) => wire?.onGap(samples),
        died: () => (wire ? wire.died() : fail('its bridge died')),
      };
      const port = process.open(ears);
      const giveUp = (why: string) => {
        port.tell({ type: 'leave' });
        fail(why);
      };
      const onAbort = () => giveUp('it was called off');
      const limit = this.#clock.after(JOIN_MS, () => giveUp('it took too long'));
      signal.addEventListener('abort', onAbort, { once: true });
      port.tell({ type: 'join', url, token, callerIdentity });
      this.#startAhead();
      if (signal.aborted) onAbort();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#again?.cancel();
    await Promise.all([...this.#bridges].map(({ process }) => process.close()));
  }

  /** Its processes die as soon as they start: whoever has working ones is to be asked. */
  get #isFailing(): boolean {
    return this.#bridges.size === 0 && this.#again !== undefined && this.#againMs >= FAILING_MS;
  }

  get #mostRooms(): number {
    return this.#options.mostRooms ?? MAX_ROOMS;
  }

  /** The fullest one with a place: the others may then be let go. */
  #withPlace(): Bridge {
    const open = [...this.#bridges].filter((bridge) => this.#places(bridge) > 0);
    const [fullest = this.#start()] = open.sort((a, b) => b.process.rooms - a.process.rooms);
    return fullest;
  }

  #places({ process, startedAt }: Bridge): number {
    const isOld = this.#clock.now() - startedAt > OLDEST_MS;
    const mostServed = this.#options.mostServed ?? MAX_SERVED;
    if (isOld || process.served >= mostServed) return 0;
    return this.#mostRooms - process.rooms;
  }

  #startAhead(): void {
    if (this.#isClosed || this.#again || this.#bridges.size >= MAX_PROCESSES) return;
    const places = [...this.#bridges].reduce((sum, bridge) => sum + this.#places(bridge), 0);
    if (places < Math.min(MIN_FREE_PLACES, this.#mostRooms)) this.#start();
  }

  #start(): Bridge {
    const startedAt = this.#clock.now();
    const process = new BridgeProcess({
      clock: this.#clock,
      silentMs: this.#options.silentMs,
      onExit: (why) => this.#onExit(bridge, why),
      onFault: (why) => this.#options.log.warn({ why }, 'fault in a bridge process to LiveKit'),
      onLeft: () => this.#letGo(bridge),
    });
    const bridge = { process, startedAt };
    this.#bridges.add(bridge);
    return bridge;
  }

  /** One without rooms is not needed when it is old, or when another has place enough. */
  #letGo(bridge: Bridge): void {
    if (bridge.process.rooms > 0 || this.#isClosed) return;
    const others = [...this.#bridges].filter((other) => other !== bridge);
    const places = others.reduce((sum, other) => sum + this.#places(other), 0);
    if (this.#places(bridge) > 0 && places < MIN_FREE_PLACES) return;
    this.#bridges.delete(bridge);
    void bridge.process.close();
    this.#startAhead();
  }

  #onExit(bridge: Bridge, why: string): void {
    const wasWanted = this.#bridges.delete(bridge);
    if (!wasWanted || this.#isClosed) return;
    this.#options.log.warn({ why }, 'a bridge process to LiveKit ended; another is started');
    const isNew = this.#clock.now() - bridge.startedAt < MAX_RETRY_DELAY_MS;
    this.#againMs = isNew ? Math.min(this.#againMs * 2, MAX_RETRY_DELAY_MS) : AGAIN_MS;
    this.#again?.cancel();
    this.#again = this.#clock.after(this.#againMs, () => {
      this.#again = undefined;
      this.#startAhead();
    });
  }
}
