import { type IntervalHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { FrameObserver } from '../../../agents-runtime/timing/frame-ticker.js';
import type { PermitObserver, Priority } from '../../../media/runtime/cpu-scheduler.js';
import { type Load, OPEN, type OverloadState, overloadAfter } from './overload-policy.js';

const SAMPLE_MS = 1_000;
/** Number of samples that are evaluated together. */
const WINDOW_SAMPLES = 10;
/** Maximum number of waiting times per sample. */
const MAX_WAITS = 500;
/** With fewer waiting times in the window, their percentile means nothing. */
const MIN_WAITS = 20;
const LOOP_RESOLUTION_MS = 10;
const NS_PER_MS = 1e6;
const US_PER_S = 1e6;
const MS_PER_S = 1000;
/** Jobs that delay the agent's answer. */
const URGENT: readonly Priority[] = ['first-chunk', 'turn', 'final-transcript'];

/** Measurements of one interval. */
interface LoadSample {
  readonly frameLateMs: number[];
  readonly waitMs: number[];
  loopDelayMs: number;
  cores: number;
}

export interface LoadMonitorOptions {
  /** Interval of the samples, ms. */
  readonly sampleMs: number;
  /** CPU time that all threads of this process have used, seconds. */
  readonly cpuSeconds: () => number;
}

const DEFAULT_OPTIONS: LoadMonitorOptions = {
  sampleMs: SAMPLE_MS,
  cpuSeconds: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / US_PER_S;
  },
};

/** Measures whether this gateway keeps up with its calls and can take another one. */
export class LoadMonitor {
  readonly #log: Logger;
  readonly #options: LoadMonitorOptions;
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  #cpuSeconds = 0;
  #sampledAt = 0;
  #samples: readonly LoadSample[] = [];
  #current: LoadSample = emptySample();
  #state: OverloadState = OPEN;
  #countCalls: () => number = () => 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Logger, options: LoadMonitorOptions = DEFAULT_OPTIONS) {
    this.#log = log;
    this.#options = options;
  }

  /** Whether new calls are admitted. */
  get admitsCalls(): boolean {
    return this.#state.isOpen;
  }

  /**
   * Starts the samples. Run it only while there are calls: reading the CPU time of all threads is slow,
   * and the histogram wakes the process 100 times a second.
   * @param countCalls - returns the number of calls that run here
   */
  start(countCalls: () => number): void {
    this.#countCalls = countCalls;
    this.#delay.enable();
    this.#cpuSeconds = this.#options.cpuSeconds();
    this.#sampledAt = performance.now();
    this.#timer = setInterval(() => this.#sample(), this.#options.sampleMs);
    this.#timer.unref();
  }

  /** Stops the samples. Without calls, new calls are admitted. */
  stop(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
    this.#delay.reset();
    this.#samples = [];
    this.#current = emptySample();
    this.#state = OPEN;
  }

  /** A frame was sent this late, ms. */
  readonly observeFrame: FrameObserver = (lateMs) => {
    this.#current.frameLateMs.push(lateMs);
  };

  /** A job of the CPU scheduler has run after this wait, ms. */
  readonly observeJob: PermitObserver = (priority, waitMs) => {
    const waits = this.#current.waitMs;
    if (URGENT.includes(priority) && waits.length < MAX_WAITS) waits.push(waitMs);
  };

  /** The load over the window. */
  get #load(): Load {
    const frames = this.#samples.flatMap((sample) => sample.frameLateMs);
    const waits = this.#samples.flatMap((sample) => sample.waitMs);
    const delays = this.#samples.map(({ loopDelayMs }) => loopDelayMs);
    const cores = this.#samples.map((sample) => sample.cores);
    return {
      calls: this.#countCalls(),
      frameLateMs: percentile(frames, 0.99),
      loopDelayMs: percentile(delays, 0.5),
      cores: percentile(cores, 0.5),
      queueMs: waits.length < MIN_WAITS ? 0 : percentile(waits, 0.95),
    };
  }

  #sample(): void {
    const sample = this.#current;
    sample.loopDelayMs = Math.max(0, this.#delay.percentile(99) / NS_PER_MS - LOOP_RESOLUTION_MS);
    this.#delay.reset();
    const [cpuSeconds, at] = [this.#options.cpuSeconds(), performance.now()];
    sample.cores = (MS_PER_S * (cpuSeconds - this.#cpuSeconds)) / (at - this.#sampledAt);
    this.#cpuSeconds = cpuSeconds;
    this.#sampledAt = at;
    this.#samples = [...this.#samples, sample].slice(-WINDOW_SAMPLES);
    this.#current = emptySample();
    const load = this.#load;
    const before = this.#state;
    this.#state = overloadAfter(before, load);
    if (before.isOpen === this.#state.isOpen) return;
    if (before.isOpen) this.#log.warn(load, 'Overloaded: this gateway refuses new calls');
    else this.#log.info(load, 'No longer overloaded: this gateway admits new calls');
  }
}

function emptySample(): LoadSample {
  return { frameLateMs: [], waitMs: [], loopDelayMs: 0, cores: 0 };
}

/** Nearest-rank percentile; 0 without values. */
function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
