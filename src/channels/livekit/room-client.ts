import { JobStatus } from '@livekit/protocol';
import { AgentDispatchClient, RoomServiceClient, TwirpError } from 'livekit-server-sdk';
import type { LiveKitAccess } from './livekit-credentials.js';

/** Timeout, s. LiveKit answers from memory. */
export const REQUEST_S = 5;

/** A room that exists. */
export interface RoomInfo {
  readonly name: string;
  readonly sid: string;
  readonly ageS: number;
}

/** LiveKit's API for rooms and dispatches. */
export class RoomClient {
  readonly #rooms: RoomServiceClient;
  readonly #dispatches: AgentDispatchClient;

  constructor({ apiUrl, apiKey, apiSecret }: LiveKitAccess) {
    const options = { requestTimeout: REQUEST_S, failover: false };
    this.#rooms = new RoomServiceClient(apiUrl, apiKey, apiSecret, options);
    this.#dispatches = new AgentDispatchClient(apiUrl, apiKey, apiSecret, options);
  }

  /** Closes a room, which disconnects its participants. A missing room is no error. */
  async closeRoom(name: string): Promise<void> {
    try {
      await this.#rooms.deleteRoom(name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async listRooms(): Promise<readonly RoomInfo[]> {
    const nowS = Date.now() / 1000;
    return (await this.#rooms.listRooms()).map(({ name, sid, creationTime }) => ({
      name,
      sid,
      ageS: nowS - Number(creationTime),
    }));
  }

  /** Whether a dispatch still exists. An operator may have deleted it. */
  async isDispatched(roomName: string, dispatchId: string): Promise<boolean> {
    return (await this.#dispatchesOf(roomName)).some(({ id }) => id === dispatchId);
  }

  /** Whether a worker has accepted a room's job. LiveKit may report that 5 s late. */
  async hasRunningJob(roomName: string): Promise<boolean> {
    return (await this.#dispatchesOf(roomName)).some(({ state }) =>
      state?.jobs.some((job) => job.state?.status === JobStatus.JS_RUNNING),
    );
  }

  async #dispatchesOf(roomName: string) {
    try {
      return await this.#dispatches.listDispatch(roomName);
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  }
}

/** Whether LiveKit answered `not_found`. */
export function isNotFound(error: unknown): boolean {
  return error instanceof TwirpError && error.code === 'not_found';
}
