import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Mp3Program } from '../../../media/codec/mp3.js';
import { MediaError } from '../../../media/errors.js';
import type { MixdownThread } from '../../../media/recording/mixdown-thread.js';
import { type ObjectStore, StorageError } from '../../platform/storage/object-store.js';
import type { SpoolFolder } from './recording-files.js';
import { fileKey, spoolKey } from './recording-files.js';
import { LEASE_S, type RecordingsRepository } from './recordings.repository.js';

/** Poll interval while another gateway has the lease. */
const POLL_MS = 250;

export interface RecordingMixdownParts {
  readonly gatewayId: string;
  readonly recordings: RecordingsRepository;
  readonly objectStore: ObjectStore;
  readonly folder: SpoolFolder;
  readonly thread: MixdownThread;
  readonly channels: 1 | 2;
  readonly mp3Program: Mp3Program;
  readonly log: Logger;
}

/** Creates MP3 files from spools. Each is created once, across gateways. */
export class RecordingMixdown {
  readonly #parts: RecordingMixdownParts;
  readonly #running = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();

  constructor(parts: RecordingMixdownParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when the file is in the store, or the spool is unusable.
   * @throws StorageError, MediaError DISK_FULL
   */
  mixDown(callId: string): Promise<void> {
    const running =
      this.#running.get(callId) ??
      this.#mixDownOnce(callId).finally(() => this.#running.delete(callId));
    this.#running.set(callId, running);
    return running;
  }

  /** Aborts running mixdowns. The next request starts again. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running.values());
    await this.#parts.thread.close();
  }

  async #mixDownOnce(callId: string): Promise<void> {
    const { gatewayId, recordings } = this.#parts;
    while (!(await recordings.lease(callId, gatewayId))) {
      const row = await recordings.find(callId);
      if (row?.state !== 'spooled') return;
      await sleep(POLL_MS, undefined, { signal: this.#closing.signal });
    }
    const renewal = setInterval(
      () => {
        recordings.lease(callId, gatewayId).catch((error: unknown) => {
          this.#parts.log.warn({ err: error, callId }, 'Cannot renew the lease of a mixdown');
        });
      },
      (LEASE_S * 1000) / 3,
    ).unref();
    try {
      await this.#createFile(callId);
    } catch (error) {
      if (!isPermanent(error)) throw error;
      this.#parts.log.error(
        { err: error, callId },
        'A recording is lost, because its spool is unusable',
      );
      await recordings.markLost(callId);
    } finally {
      clearInterval(renewal);
      await recordings.release(callId, gatewayId);
    }
  }

  async #createFile(callId: string): Promise<void> {
    const { recordings, objectStore, folder, thread, channels, mp3Program, gatewayId } =
      this.#parts;
    const name = `${callId}-${gatewayId}`;
    const outPath = folder.draftPath(`${name}.mp3`);
    const fetchedPath = folder.draftPath(`${name}.spool`);
    try {
      const spoolPath = await this.#fetchSpool(callId, fetchedPath);
      const { signal } = this.#closing;
      const durationMs = await thread.mixDown({ spoolPath, outPath, channels, mp3Program }, signal);
      await objectStore.putFile(fileKey(callId), outPath);
      const { size: bytes } = await stat(outPath);
      const isWanted = await recordings.markReady(callId, { durationMs, bytes });
      if (!isWanted) await objectStore.delete(fileKey(callId));
      await objectStore.delete(spoolKey(callId));
    } finally {
      await rm(outPath, { force: true });
      await rm(fetchedPath, { force: true });
    }
  }

  /** The path of the spool on this machine; downloads it if necessary. */
  async #fetchSpool(callId: string, to: string): Promise<string> {
    const { objectStore } = this.#parts;
    const key = spoolKey(callId);
    if ((await objectStore.size(key)) === undefined) {
      throw new StorageError(
        'NO_SUCH_OBJECT',
        'The storage does not contain the spool of the recording',
      );
    }
    const path = objectStore.pathOf?.(key);
    if (path !== undefined) return path;
    await pipeline(await objectStore.open(key), createWriteStream(to, { mode: 0o600 }), {
      signal: this.#closing.signal,
    });
    return to;
  }
}

/** Whether a retry would fail, too. */
function isPermanent(error: unknown): boolean {
  if (error instanceof StorageError) return error.code === 'NO_SUCH_OBJECT';
  return error instanceof MediaError && error.code === 'INVALID_INPUT';
}
