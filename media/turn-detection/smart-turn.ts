import type { PreparedModelFiles } from '../models/prepared-model.js';
import type { CpuScheduler } from '../runtime/cpu-scheduler.js';
import { ModelThread } from '../runtime/model-thread.js';
import { WINDOW } from './smart-turn-features.js';
import type { TurnDetector } from './turn-detector.js';

/** Jobs of the worker. */
export type SmartTurnJobs = {
  readonly completeness: {
    readonly input: { readonly samples: Float32Array };
    readonly output: number;
  };
};

/** Files and scheduler of a `SmartTurn`. */
export interface SmartTurnOptions extends PreparedModelFiles {
  readonly scheduler: CpuScheduler;
}

/** Runs the turn model on a worker thread. The model rates silence as complete, so use it for speech only. */
export class SmartTurn implements TurnDetector {
  readonly #thread: ModelThread<SmartTurnJobs>;

  constructor({ folder, preparedFolder, scheduler }: SmartTurnOptions) {
    const script = new URL('./smart-turn.worker.js', import.meta.url);
    const workerData: PreparedModelFiles = { folder, preparedFolder };
    this.#thread = new ModelThread({ script, workerData, scheduler });
  }

  completeness(samples: Float32Array, signal?: AbortSignal): Promise<number> {
    const last = samples.slice(-WINDOW);
    const options = { priority: 'turn', signal, transfer: [last.buffer] } as const;
    return this.#thread.run('completeness', { samples: last }, options);
  }

  /** Loads the model and runs it until V8 has optimised the feature extraction. */
  async warm(): Promise<void> {
    for (let i = 0; i < 3; i++) await this.completeness(new Float32Array(WINDOW));
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
