import type { Logger } from 'pino';
import type { CallsRepository } from '../calls/calls.repository.js';
import type { LiveKitCluster, RoomNow } from './livekit-cluster.js';
import { callOfRoom } from './room-names.js';

const SWEEP_MS = 10_000;
/** A job reaches its gateway within 10 s, even when the first ones do not answer. */
const SERVED_WITHIN_S = 30;

export interface RoomSweepParts {
  readonly cluster: Pick<LiveKitCluster, 'closeRoom' | 'listRooms'>;
  readonly calls: Pick<CallsRepository, 'statesOf' | 'endWaiting'>;
  readonly log: Logger;
  /** By default 10 s, more or less. */
  readonly sweepMs?: number;
  readonly servedWithinS?: number;
}

/**
 * Closes rooms in which nobody is served any more: those of a gateway that died, and those for which no
 * gateway had room. Each gateway does so for all.
 */
export class RoomSweep {
  readonly #parts: RoomSweepParts;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;

  constructor(parts: RoomSweepParts) {
    this.#parts = parts;
  }

  start(): void {
    const { sweepMs = SWEEP_MS } = this.#parts;
    // Several gateways that started together do not all ask at once.
    const wait = sweepMs * (0.75 + Math.random() / 2);
    this.#timer = setInterval(() => this.#run(), wait);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sweeping;
  }

  /** Looks once. */
  async sweep(): Promise<void> {
    const { cluster, calls, servedWithinS = SERVED_WITHIN_S } = this.#parts;
    const rooms = (await cluster.listRooms()).flatMap((room) => {
      const callId = callOfRoom(room.name, room.sid);
      return callId === undefined ? [] : [{ ...room, callId }];
    });
    if (rooms.length === 0) return;
    const states = await calls.statesOf(rooms.map(({ callId }) => callId));
    for (const room of rooms) {
      const state = states.get(room.callId);
      if (state === 'live') continue;
      if (state !== 'ended' && room.ageS < servedWithinS) continue;
      await this.#close(room);
    }
  }

  #run(): void {
    this.#sweeping ??= this.sweep()
      .catch((error: unknown) => {
        // That LiveKit is away is told by readiness.
        this.#parts.log.debug({ err: error }, 'rooms could not be looked through');
      })
      .finally(() => {
        this.#sweeping = undefined;
      });
  }

  async #close({ callId, name }: RoomNow & { readonly callId: string }): Promise<void> {
    const { cluster, calls, log } = this.#parts;
    log.info({ callId }, 'a room in which nobody is served is closed');
    await calls.endWaiting(callId, 'error_transport');
    await cluster.closeRoom(name);
  }
}
