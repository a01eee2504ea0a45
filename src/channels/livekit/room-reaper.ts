import type { Logger } from 'pino';
import type { CallRow } from '../../calls/store/call.model.js';
import type { CallsRepository } from '../../calls/store/calls.repository.js';
import { PeriodicTask } from '../../platform/jobs/periodic-task.js';
import type { RoomClient, RoomInfo } from './room-client.js';
import { callOfRoom, isPhoneRoom } from './room-names.js';

const SWEEP_MS = 5_000;
/**
 * LiveKit looks for a gateway for 3 s and gives the job up then (Source: psrpc, DefaultClientTimeout);
 * who has got it takes its call at once.
 */
const CLAIM_TIMEOUT_S = 10;
/** A telephone's call is made in the room: its agent's owner is asked, and it may ring on for 30 s. */
const ANSWER_TIMEOUT_S = 60;

export interface RoomReaperParts {
  readonly roomClient: Pick<RoomClient, 'closeRoom' | 'listRooms' | 'hasRunningJob'>;
  readonly calls: Pick<CallsRepository, 'statesOf' | 'endReserved'>;
  readonly log: Logger;
}

type CallRoom = RoomInfo & { readonly callId: string };
type CallState = CallRow['state'];

/**
 * Closes rooms in which nobody is served any more: those of a gateway that died, and those for which no
 * gateway had room. Each gateway does so for all.
 */
export class RoomReaper {
  readonly #parts: RoomReaperParts;
  readonly #task: PeriodicTask;

  constructor(parts: RoomReaperParts) {
    this.#parts = parts;
    this.#task = new PeriodicTask({
      // The jitter spreads the requests of gateways that started together.
      intervalMs: SWEEP_MS * (0.75 + Math.random() / 2),
      run: () => this.sweep(),
      onError: (error) => this.#onFault(error),
    });
  }

  start(): void {
    this.#task.start();
  }

  close(): Promise<void> {
    return this.#task.close();
  }

  /** Checks all rooms once. */
  async sweep(): Promise<void> {
    const { roomClient, calls } = this.#parts;
    const rooms = (await roomClient.listRooms()).flatMap((room) => {
      const callId = callOfRoom(room.name, room.sid);
      return callId === undefined ? [] : [{ ...room, callId }];
    });
    if (rooms.length === 0) return;
    const states = await calls.statesOf(rooms.map(({ callId }) => callId));
    for (const room of rooms) {
      // One about which LiveKit does not answer keeps none of the others.
      await this.#reap(room, states.get(room.callId)).catch((error) => this.#onFault(error));
    }
  }

  async #reap(room: CallRoom, state: CallState | undefined): Promise<void> {
    if (state === 'ended') await this.#close(room);
    else if (state !== 'live' && (await this.#isAbandoned(room))) {
      await this.#abandon(room, state === 'reserved');
    }
  }

  /** That LiveKit is away is told by readiness. */
  #onFault(error: unknown): void {
    this.#parts.log.debug({ err: error }, 'rooms could not be looked through');
  }

  /** Nobody will come any more. */
  async #isAbandoned({ name, ageS }: CallRoom): Promise<boolean> {
    if (ageS < CLAIM_TIMEOUT_S) return false;
    if (!isPhoneRoom(name) || ageS >= ANSWER_TIMEOUT_S) return true;
    return !(await this.#parts.roomClient.hasRunningJob(name));
  }

  async #abandon({ callId, name }: CallRoom, isWaiting: boolean): Promise<void> {
    const { roomClient, calls, log } = this.#parts;
    const hasWaited = await calls.endReserved(callId, 'error_transport');
    // A gateway has taken it after all.
    if (isWaiting && !hasWaited) return;
    log.warn({ callId }, 'a caller in a room, whom no gateway has taken, is let go');
    await roomClient.closeRoom(name);
  }

  async #close({ callId, name }: CallRoom): Promise<void> {
    const { roomClient, log } = this.#parts;
    log.info({ callId }, 'the room of a call that is over is closed');
    await roomClient.closeRoom(name);
  }
}
