import type { CpuScheduler } from '../runtime/cpu-scheduler.js';
import { ModelThread } from '../runtime/model-thread.js';
import { WINDOW } from './smart-turn-features.js';
import type { TurnDetector } from './turn-detector.js';

export type SmartTurnJobs = {
  readonly completeness: {
    readonly input: { readonly samples: Float32Array };
    readonly output: number;
  };
};

/** The turn model on its worker thread. Silence alone looks complete to it: ask about speech only. */
export class SmartTurn implements TurnDetector {
  readonly #thread: ModelThread<SmartTurnJobs>;

  constructor({ folder, permits }: { readonly folder: string; readonly permits: CpuScheduler }) {
    const script = new URL('./smart-turn.worker.js', import.meta.url);
    this.#thread = new ModelThread({ script, workerData: { folder }, permits });
  }

  completeness(samples: Float32Array, signal?: AbortSignal): Promise<number> {
    const last = samples.slice(-WINDOW);
    const how = { priority: 'turn', signal, transfer: [last.buffer] } as const;
    return this.#thread.run('completeness', { samples: last }, how);
  }

  /** Loads the model and runs it a few times, until its code is compiled. */
  async warm(): Promise<void> {
    for (let i = 0; i < 3; i++) await this.completeness(new Float32Array(WINDOW));
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
