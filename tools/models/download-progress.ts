import { fetchBytes, type Model } from '../../media/models/model.js';
import type { ModelProgress } from '../../media/models/store.js';

const REDRAW_MS = 100;
const BAR_CELLS = 24;
const MEGA = 1e6;

/** Output for progress: a terminal gets one bar that is redrawn, other outputs one line per model. */
export interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Displays the progress of a download of several models. */
export class ProgressDisplay {
  readonly #output: ProgressOutput;
  readonly #received = new Map<string, number>();
  readonly #sizes: ReadonlyMap<string, number>;
  readonly #totalBytes: number;
  readonly #now: () => number;
  #startedAt: number;
  #startedBytes: number | undefined;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(models: readonly Model[], output: ProgressOutput, now: () => number = Date.now) {
    this.#output = output;
    this.#now = now;
    this.#sizes = new Map(models.map((model) => [model.id, fetchBytes(model)]));
    this.#totalBytes = [...this.#sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
    this.#startedAt = now();
    const count = `${models.length} ${models.length === 1 ? 'model' : 'models'}`;
    output.write(`Fetching ${count}, ${megabytes(this.#totalBytes)} MB\n`);
  }

  /** For `onProgress` of `ModelStore.ensure`. */
  update({ id, phase, receivedBytes }: ModelProgress): void {
    const size = this.#sizes.get(id) ?? 0;
    const isReady = phase === 'ready';
    this.#received.set(id, isReady ? size : Math.min(receivedBytes, size));
    if (this.#output.isTTY) this.#draw(id, phase, isReady);
    else if (isReady) this.#output.write(`${id}: ready (${megabytes(size)} MB)\n`);
    else if (phase === 'waiting') this.#output.write(`${id}: another process fetches it\n`);
  }

  /** Ends the bar's line. */
  end(): void {
    if (this.#output.isTTY) this.#output.write('\n');
  }

  #draw(id: string, phase: ModelProgress['phase'], isForced: boolean): void {
    const now = this.#now();
    if (!isForced && now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    const bytes = [...this.#received.values()].reduce((sum, part) => sum + part, 0);
    // Bytes of an earlier, interrupted run do not count for the speed.
    this.#startedBytes ??= bytes;
    const seconds = Math.max(0.001, (now - this.#startedAt) / 1000);
    const speed = megabytes((bytes - this.#startedBytes) / seconds);
    const share = this.#totalBytes === 0 ? 1 : bytes / this.#totalBytes;
    const cells = Math.round(share * BAR_CELLS);
    const bar = '█'.repeat(cells) + '░'.repeat(BAR_CELLS - cells);
    const percent = `${Math.floor(share * 100)}`.padStart(3);
    const what = phase === 'downloading' || phase === 'ready' ? id : `${id} (${phase})`;
    this.#output.write(
      `\r\x1b[K${bar} ${percent} % of ${megabytes(this.#totalBytes)} MB, ${speed} MB/s  ${what}`,
    );
  }
}

function megabytes(bytes: number): string {
  return (bytes / MEGA).toFixed(1);
}
