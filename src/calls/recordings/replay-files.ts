import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip, type Gzip } from 'node:zlib';
import type { Logger } from 'pino';
import type {
  ReplayHeader,
  ReplayLine,
  ReplaySink,
} from '../../../agents-runtime/observers/replay/replay-format.js';

/** Maximum length before compression; reached by a call of more than 15 minutes. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
/** Maximum backlog of the disk, bytes. */
const MAX_WAITING = 8 * 1024 * 1024;
/** A crash loses at most this much. */
const FLUSH_MS = 500;

export const REPLAY_SUFFIX = '.replay.jsonl.gz';

/** Writes the replay files of calls into one folder. An error affects the file, never the call. */
export class ReplayFiles {
  readonly #folder: string;
  readonly #log: Logger;
  readonly #maxCharacters: number;
  readonly #open = new Set<Promise<void>>();

  private constructor(folder: string, log: Logger, maxCharacters: number) {
    this.#folder = folder;
    this.#log = log;
    this.#maxCharacters = maxCharacters;
  }

  /** Creates the folder with access for its owner only. */
  static async in(
    folder: string,
    log: Logger,
    maxCharacters = MAX_CHARACTERS,
  ): Promise<ReplayFiles> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    log.warn(
      'REPLAY_DIR is set: the audio and the words of every call that may be recorded are written to files',
    );
    return new ReplayFiles(folder, log, maxCharacters);
  }

  /** @param callId - a UUID, so that it is safe in a path */
  begin(callId: string): ReplaySink {
    const gzip = createGzip();
    const path = join(this.#folder, `${callId}${REPLAY_SUFFIX}`);
    const written = pipeline(gzip, createWriteStream(path, { flags: 'wx', mode: 0o600 })).catch(
      (error: unknown) =>
        this.#log.warn({ err: error, callId }, 'Cannot write a replay file: it ends early'),
    );
    this.#open.add(written);
    void written.then(() => this.#open.delete(written));
    return new ReplayFile(gzip, this.#maxCharacters, () =>
      this.#log.warn({ callId }, 'A replay file has reached its maximum length'),
    );
  }

  /** Deletes the file of an ended call. Idempotent. */
  async delete(callId: string): Promise<void> {
    await rm(join(this.#folder, `${callId}${REPLAY_SUFFIX}`), { force: true });
  }

  /** Resolves when all lines are in the files. */
  async close(): Promise<void> {
    await Promise.all(this.#open);
  }
}

/** Buffers lines; zlib compresses them on another thread. */
class ReplayFile implements ReplaySink {
  readonly #gzip: Gzip;
  readonly #maxCharacters: number;
  readonly #onFull: () => void;
  readonly #timer: NodeJS.Timeout;
  #lines: string[] = [];
  #characters = 0;
  #lastT = 0;

  constructor(gzip: Gzip, maxCharacters: number, onFull: () => void) {
    this.#gzip = gzip;
    this.#maxCharacters = maxCharacters;
    this.#onFull = onFull;
    this.#timer = setInterval(() => this.#flush(), FLUSH_MS).unref();
  }

  write(line: ReplayHeader | ReplayLine): void {
    if (this.#gzip.writableEnded || this.#gzip.destroyed) return;
    if ('t' in line) this.#lastT = line.t;
    const row = `${JSON.stringify(line)}\n`;
    this.#characters += row.length;
    if (this.#characters > this.#maxCharacters || this.#gzip.writableLength > MAX_WAITING) {
      this.#lines.push(`${JSON.stringify({ t: this.#lastT, type: 'full' })}\n`);
      this.#onFull();
      this.end();
    } else this.#lines.push(row);
  }

  end(): void {
    clearInterval(this.#timer);
    if (this.#gzip.writableEnded || this.#gzip.destroyed) return;
    this.#gzip.end(this.#takeLines());
  }

  /** Makes the lines so far readable, in case the process dies. */
  #flush(): void {
    if (this.#lines.length === 0 || this.#gzip.destroyed) return;
    this.#gzip.write(this.#takeLines());
    this.#gzip.flush(constants.Z_SYNC_FLUSH);
  }

  #takeLines(): string {
    return this.#lines.splice(0).join('');
  }
}
