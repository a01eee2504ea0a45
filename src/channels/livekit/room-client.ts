import { JobStatus } from '@livekit/protocol';
import { AgentDispatchClient, RoomServiceClient, TwirpError } from 'livekit-server-sdk';
import type { LiveKitAccess } from './livekit-credentials.js';

/** LiveKit answers from memory: one that takes longer is not there, s. */
export const REQUEST_S = 5;

/** A room as it is now. */
export interface RoomInfo {
  readonly name: string;
  readonly sid: string;
  readonly ageS: number;
}

/** What this gateway asks of LiveKit's cluster about rooms. */
export class RoomClient {
  readonly #rooms: RoomServiceClient;
  readonly #dispatches: AgentDispatchClient;

  constructor({ apiUrl, apiKey, apiSecret }: LiveKitAccess) {
    const options = { requestTimeout: REQUEST_S, failover: false };
    this.#rooms = new RoomServiceClient(apiUrl, apiKey, apiSecret, options);
    this.#dispatches = new AgentDispatchClient(apiUrl, apiKey, apiSecret, options);
  }

  /** Closes a room, which hangs up whoever is in it; one that is gone is closed already. */
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

  /** Whether the agent is still wanted in a room: an operator may have sent it away. */
  async isDispatched(roomName: string, dispatchId: string): Promise<boolean> {
    return (await this.#dispatchesOf(roomName)).some(({ id }) => id === dispatchId);
  }

  /** Whether a worker has said yes to a room; LiveKit may know that some 5 s late. */
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

/** Whether LiveKit said that there is nothing such. */
export function isNotFound(error: unknown): boolean {
  return error instanceof TwirpError && error.code === 'not_found';
}
