import type { Logger } from 'pino';
import type { RecordingSink } from '../../../agents-runtime/observers/recording/recording-sink.js';
import { CALLER_SAMPLE_RATE } from '../../../media/audio/pcm.js';
import { MediaError } from '../../../media/errors.js';
import type { SpoolThread } from '../../../media/recording/spool-thread.js';
import type { GatewaysRepository } from '../../platform/cluster/gateways.repository.js';
import { PeriodicTask } from '../../platform/jobs/periodic-task.js';
import type { ObjectStore } from '../../platform/storage/object-store.js';
import type { CallRow } from '../store/call.model.js';
import type { CallsRepository } from '../store/calls.repository.js';
import type { RecordingMixdown } from './mixdown.js';
import type { SpoolFolder } from './recording-files.js';
import { fileKey, spoolKey } from './recording-files.js';
import type { RecordingsRepository } from './recordings.repository.js';

/** A request waits for a mixdown this long. Part of the public contract. */
const MIXDOWN_TIMEOUT_MS = 20_000;
/** Interval between searches for spools that dead gateways left on this machine. */
const RECOVERY_MS = 60_000;
/** A spool that no gateway has stored by then is lost. */
const LOST_AFTER_MS = 3_600_000;

/** The status of a recording for clients. */
export type RecordingStatus = 'ready' | 'processing' | 'not_recorded';

/** An existing object and its size in bytes. */
export interface StoredFile {
  readonly objectStore: ObjectStore;
  readonly key: string;
  readonly size: number;
}

export interface RecordingServiceParts {
  readonly gatewayId: string;
  readonly recordings: RecordingsRepository;
  readonly gateways: Pick<GatewaysRepository, 'isAlive'>;
  readonly calls: Pick<CallsRepository, 'find'>;
  readonly objectStore: ObjectStore;
  readonly folder: SpoolFolder;
  readonly spools: SpoolThread;
  readonly mixdowns: RecordingMixdown;
  readonly log: Logger;
  /** How long a request waits for a mixdown, ms. Default: 20,000. */
  readonly mixdownTimeoutMs?: number | undefined;
}

/** Recordings of calls: spooled during the call, stored at its end, mixed down on request. */
export class RecordingService {
  readonly #parts: RecordingServiceParts;
  /** Calls that are being recorded here, or whose spool is being stored. */
  readonly #open = new Map<string, Promise<void>>();
  readonly #leftovers: PeriodicTask;

  constructor(parts: RecordingServiceParts) {
    this.#parts = parts;
    this.#leftovers = new PeriodicTask({
      intervalMs: RECOVERY_MS,
      run: (closing) => this.#recoverSpools(closing),
      onError: (error) =>
        parts.log.error(
          { err: error },
          'Cannot store the recordings of dead gateways; the next attempt is in 60 s',
        ),
    });
  }

  /** Stores the spools that dead gateways left on this machine, now and at an interval. */
  start(): void {
    void this.#leftovers.runNow();
    this.#leftovers.start();
  }

  /** Starts to record a call. An error affects the recording, never the call. */
  begin(callId: string, agentRate: number): RecordingSink {
    const { folder, spools, recordings, log } = this.#parts;
    const rates = { caller: CALLER_SAMPLE_RATE, agent: agentRate };
    const spool = spools.open(folder.pathOf(callId), rates, (error) => {
      const isFull = error instanceof MediaError && error.code === 'DISK_FULL';
      const why = isFull ? 'The disk is full' : 'Cannot write the spool';
      log.error({ err: error, callId }, `${why}: the rest of the call is not recorded`);
    });
    const known = recordings.begin(callId).catch((error: unknown) => {
      log.warn({ err: error, callId }, 'Cannot register a recording in the database');
    });
    let end: (durationMs: number) => void = () => undefined;
    const ended = new Promise<number>((resolve) => {
      end = resolve;
    });
    const finish = async () => {
      const durationMs = await ended;
      await spool.close(durationMs);
      await known;
      await this.#store(callId, durationMs);
    };
    this.#track(callId, finish());
    return { write: (pieces) => spool.append(pieces), end };
  }

  /**
   * Creates the file if it does not exist, once for all requests. Waits at most 20 s.
   * @throws StorageError where the storage cannot be used
   */
  async prepare(call: CallRow): Promise<RecordingStatus> {
    if (call.state !== 'ended') return 'processing';
    const work = this.#prepareEnded(call);
    // After the timeout, the next request gets the result or the error.
    work.catch(() => undefined);
    const late = new Promise<RecordingStatus>((resolve) => {
      const ms = this.#parts.mixdownTimeoutMs ?? MIXDOWN_TIMEOUT_MS;
      setTimeout(resolve, ms, 'processing').unref();
    });
    return Promise.race([work, late]);
  }

  /** The file of a call if it exists; `prepare` creates it. @throws StorageError */
  async fileOf({ call_id: callId }: CallRow): Promise<StoredFile | undefined> {
    const { recordings, objectStore } = this.#parts;
    if ((await recordings.find(callId))?.state !== 'ready') return undefined;
    const key = fileKey(callId);
    const size = await objectStore.size(key);
    return size === undefined ? undefined : { objectStore, key, size };
  }

  /**
   * Deletes a call's audio here and in the store. Idempotent.
   * @returns the bytes that were deleted in the store
   */
  async deleteRecording(callId: string): Promise<number> {
    const { recordings, folder, objectStore } = this.#parts;
    const sizes = await Promise.all([
      objectStore.size(spoolKey(callId)),
      objectStore.size(fileKey(callId)),
    ]);
    await recordings.markDeleted(callId);
    await folder.remove(callId);
    await objectStore.delete(spoolKey(callId));
    await objectStore.delete(fileKey(callId));
    return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  }

  /** Waits for the spools of ended calls. The next start stores the others. */
  async close(): Promise<void> {
    await this.#leftovers.close();
    await Promise.all(this.#open.values());
    await this.#parts.mixdowns.close();
    await this.#parts.spools.close();
  }

  async #prepareEnded(call: CallRow): Promise<RecordingStatus> {
    const { recordings, mixdowns, log } = this.#parts;
    const { call_id: callId } = call;
    let row = await recordings.find(callId);
    if (row === undefined || row.state === 'recording') {
      await this.#open.get(callId);
      row = await recordings.find(callId);
    }
    if (row?.state === 'recording') {
      if (!(await this.#recover(call))) return mayBeRecovered(call) ? 'processing' : 'not_recorded';
      row = await recordings.find(callId);
    }
    if (row?.state === 'spooled') {
      await mixdowns.mixDown(callId);
      row = await recordings.find(callId);
    }
    if (
      row?.state === 'ready' &&
      (await this.#parts.objectStore.size(fileKey(callId))) === undefined
    ) {
      log.error({ callId }, 'The storage does not contain a recording');
      await recordings.markLost(callId);
      return 'not_recorded';
    }
    return row?.state === 'ready'
      ? 'ready'
      : row?.state === 'spooled'
        ? 'processing'
        : 'not_recorded';
  }

  #track(callId: string, work: Promise<void>): void {
    const held = work
      .catch((error: unknown) =>
        this.#parts.log.error({ err: error, callId }, 'Cannot store a recording yet'),
      )
      .finally(() => this.#open.delete(callId));
    this.#open.set(callId, held);
  }

  /** Stores a complete spool and deletes the local file. */
  async #store(callId: string, durationMs: number): Promise<void> {
    const { recordings, folder, objectStore } = this.#parts;
    if (!(await folder.has(callId))) return;
    await objectStore.putFile(spoolKey(callId), folder.pathOf(callId));
    const isWanted = await recordings.markSpooled(callId, durationMs);
    if (!isWanted) await objectStore.delete(spoolKey(callId));
    await folder.remove(callId);
  }

  async #recoverSpools(closing: AbortSignal): Promise<void> {
    const { calls, folder } = this.#parts;
    for (const callId of await folder.callIds()) {
      if (closing.aborted) return;
      if (this.#open.has(callId)) continue;
      const call = await calls.find(callId);
      if (!call) await folder.remove(callId);
      else if (call.state === 'ended') {
        // An error with one spool must not stop the others; `#track` logs it.
        await this.#recover(call).catch(() => undefined);
      }
    }
  }

  /** Stores a local spool whose gateway has died. @returns whether it did */
  async #recover(call: CallRow): Promise<boolean> {
    const { gatewayId, gateways, folder } = this.#parts;
    const { call_id: callId, gateway_id: owner } = call;
    await this.#open.get(callId);
    if (!(await folder.has(callId))) return false;
    const isOthers = owner !== null && owner !== gatewayId;
    if (isOthers && (await gateways.isAlive(owner))) return false;
    const work = this.#storeRecovered(callId);
    this.#track(callId, work);
    await work;
    return true;
  }

  async #storeRecovered(callId: string): Promise<void> {
    const { recordings, folder, spools, log } = this.#parts;
    try {
      await this.#store(callId, await spools.durationOf(folder.pathOf(callId)));
    } catch (error) {
      if (!(error instanceof MediaError) || error.code !== 'INVALID_INPUT') throw error;
      log.error({ err: error, callId }, 'A recording is lost, because its spool is unusable');
      await recordings.markLost(callId);
      await folder.remove(callId);
    }
  }
}

/** Whether the gateway of the call, or its successor on that machine, may still store the spool. */
function mayBeRecovered({ ended_at: endedAt }: CallRow): boolean {
  return endedAt !== null && Date.now() - endedAt.getTime() < LOST_AFTER_MS;
}
