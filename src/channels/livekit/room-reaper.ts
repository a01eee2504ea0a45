import type { Logger } from 'pino';
import type { CallRow } from '../../calls/store/call.model.js';
import type { CallsRepository } from '../../calls/store/calls.repository.js';
import { PeriodicTask } from '../../platform/jobs/periodic-task.js';
import type { RoomClient, RoomInfo } from './room-client.js';
import { callOfRoom, isPhoneRoom } from './room-names.js';

const SWEEP_MS = 5_000;
/**
 * LiveKit looks for a worker for 3 s (psrpc, DefaultClientTimeout). A gateway claims the call as soon as
 * it is assigned.
 */
const CLAIM_TIMEOUT_S = 10;
/** A telephone call is reserved in the room: its webhook is called first, and it may ring for 30 s. */
const ANSWER_TIMEOUT_S = 60;

export interface RoomReaperParts {
  readonly roomClient: Pick<RoomClient, 'closeRoom' | 'listRooms' | 'hasRunningJob'>;
  readonly calls: Pick<CallsRepository, 'statesOf' | 'endReserved'>;
  readonly log: Logger;
}

type CallRoom = RoomInfo & { readonly callId: string };
type CallState = CallRow['state'];

/**
 * Closes rooms without an agent: those of a gateway that died, and those that no gateway accepted. Each
 * gateway does so for all rooms.
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
      // An error with one room must not stop the others.
      await this.#reap(room, states.get(room.callId)).catch((error) => this.#onFault(error));
    }
  }

  async #reap(room: CallRoom, state: CallState | undefined): Promise<void> {
    if (state === 'ended') await this.#close(room);
    else if (state !== 'live' && (await this.#isAbandoned(room))) {
      await this.#abandon(room, state === 'reserved');
    }
  }

  /** Logged at debug level, because `/readyz` reports that LiveKit is unreachable. */
  #onFault(error: unknown): void {
    this.#parts.log.debug(
      { err: error },
      'Cannot check the rooms of LiveKit; the next check is in 5 s',
    );
  }

  /** Ends the call of a room that no gateway serves. */
  async #isAbandoned({ name, ageS }: CallRoom): Promise<boolean> {
    if (ageS < CLAIM_TIMEOUT_S) return false;
    if (!isPhoneRoom(name) || ageS >= ANSWER_TIMEOUT_S) return true;
    return !(await this.#parts.roomClient.hasRunningJob(name));
  }

  async #abandon({ callId, name }: CallRoom, isWaiting: boolean): Promise<void> {
    const { roomClient, calls, log } = this.#parts;
    const hasWaited = await calls.endReserved(callId, 'error_transport');
    // A gateway has claimed the call in the meantime.
    if (isWaiting && !hasWaited) return;
    await roomClient.closeRoom(name);
    log.warn({ callId }, 'Closed the room of a call that no gateway accepted');
  }

  async #close({ callId, name }: CallRoom): Promise<void> {
    const { roomClient, log } = this.#parts;
    await roomClient.closeRoom(name);
    log.info({ callId }, 'Closed the room of an ended call');
  }
}
