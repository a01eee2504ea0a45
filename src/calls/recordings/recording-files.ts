import { access, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isUuid } from '../../platform/http/validation/schema-builders.js';

const SUFFIX = '.spool';
/** Older drafts of mixdowns are from gateways that died. */
const STALE_MS = 86_400_000;

/** Object keys of a call's audio: its spool until the mixdown, the MP3 file afterwards. */
export const spoolKey = (callId: string) => `spools/${callId}.spool`;
export const fileKey = (callId: string) => `recordings/${callId}.mp3`;

/** The file that a client downloads. */
export const RECORDING_FILE = { name: 'recording.mp3', type: 'audio/mpeg' } as const;

/** The files of this machine: spools that are not in the store yet, and drafts of mixdowns. */
export class SpoolFolder {
  readonly #folder: string;
  readonly #drafts: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#drafts = join(folder, 'drafts');
  }

  /** Creates the folder with access for its owner only. */
  static async in(folder: string): Promise<SpoolFolder> {
    const made = new SpoolFolder(folder);
    await mkdir(made.#drafts, { recursive: true, mode: 0o700 });
    await made.#removeStaleDrafts();
    return made;
  }

  /** @param callId - a UUID, so that it is safe in a path */
  pathOf(callId: string): string {
    return join(this.#folder, callId + SUFFIX);
  }

  draftPath(name: string): string {
    return join(this.#drafts, name);
  }

  async has(callId: string): Promise<boolean> {
    return access(this.pathOf(callId)).then(
      () => true,
      () => false,
    );
  }

  async remove(callId: string): Promise<void> {
    await rm(this.pathOf(callId), { force: true });
  }

  /** The calls that have a spool here. */
  async callIds(): Promise<readonly string[]> {
    const names = await readdir(this.#folder);
    return names
      .filter((name) => name.endsWith(SUFFIX))
      .map((name) => name.slice(0, -SUFFIX.length))
      .filter(isUuid);
  }

  async #removeStaleDrafts(): Promise<void> {
    for (const name of await readdir(this.#drafts)) {
      const path = this.draftPath(name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
      if (Date.now() - mtimeMs > STALE_MS) await rm(path, { force: true });
    }
  }
}
