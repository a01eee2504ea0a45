import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { FrameObserver } from '../../../agents-runtime/timing/frame-ticker.js';
import {
  type CpuScheduler,
  type PermitObserver,
  PRIORITIES,
} from '../../../media/runtime/cpu-scheduler.js';
import type { WorkerLoss } from '../../../media/runtime/worker-loss.js';
import type { HttpObserver } from '../http/request-context.js';

const HTTP_BUCKETS_S = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const CPU_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** Includes the target of 20 ms. */
const LATENESS_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5, 1];
const LOOP_RESOLUTION_MS = 10;
/**
 * prom-client measures the delay of the event loop all the time, which wakes an idle process 100 times a
 * second. `event_loop_delay_seconds` replaces these metrics.
 */
const UNUSED_METRICS = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (name) => `nodejs_eventloop_lag_${name}_seconds`,
);
/** Interval of prom-client's measurement, ms. Any long one. */
const UNUSED_PRECISION_MS = 3_600_000;
const NS_PER_S = 1e9;
/** Methods with their own label. Clients may send about thirty others. */
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

/** The metrics of `/metrics`. */
export class Metrics {
  readonly registry = new Registry();
  readonly #loopDelay: IntervalHistogram = monitorEventLoopDelay({
    resolution: LOOP_RESOLUTION_MS,
  });
  readonly #http: Histogram<'method' | 'route'>;
  readonly #answers: Counter<'method' | 'route' | 'status'>;
  readonly #permitWait: Histogram<'priority'>;
  readonly #permitRun: Histogram<'priority'>;
  readonly #frameLateness: Histogram;
  readonly #workersLost: Counter<'worker' | 'reason'>;

  constructor() {
    const registers = [this.registry];
    collectDefaultMetrics({
      register: this.registry,
      eventLoopMonitoringPrecision: UNUSED_PRECISION_MS,
    });
    for (const name of UNUSED_METRICS) this.registry.removeSingleMetric(name);
    this.#http = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Duration of requests until the end of the response, by route',
      labelNames: ['method', 'route'],
      buckets: HTTP_BUCKETS_S,
      registers,
    });
    this.#answers = new Counter({
      name: 'http_requests_total',
      help: 'Completed requests, by route and status',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.#permitWait = new Histogram({
      name: 'cpu_permit_wait_seconds',
      help: 'Time that a job waited for a CPU permit',
      labelNames: ['priority'],
      buckets: CPU_BUCKETS_S,
      registers,
    });
    this.#permitRun = new Histogram({
      name: 'cpu_permit_run_seconds',
      help: 'Time that a job held its CPU permit',
      labelNames: ['priority'],
      buckets: CPU_BUCKETS_S,
      registers,
    });
    this.#frameLateness = new Histogram({
      name: 'frame_lateness_seconds',
      help: 'Delay of the frame ticker, which sends the audio of agents every 20 ms',
      buckets: LATENESS_BUCKETS_S,
      registers,
    });
    this.#workersLost = new Counter({
      name: 'workers_lost_total',
      help: 'Workers that died or hung and were replaced, by program',
      labelNames: ['worker', 'reason'],
      registers,
    });
    this.#watchLoop();
  }

  readonly observeHttp: HttpObserver = (method, route, status, durationMs) => {
    const labels = { method: METHODS.has(method) ? method : 'other', route };
    this.#http.observe(labels, durationMs / 1000);
    this.#answers.inc({ ...labels, status: String(status) });
  };

  readonly observePermit: PermitObserver = (priority, waitMs, runMs) => {
    this.#permitWait.observe({ priority }, waitMs / 1000);
    this.#permitRun.observe({ priority }, runMs / 1000);
  };

  readonly observeFrame: FrameObserver = (lateMs) => {
    this.#frameLateness.observe(lateMs / 1000);
  };

  observeWorkerLoss(worker: string, reason: WorkerLoss['reason']): void {
    this.#workersLost.inc({ worker, reason });
  }

  /** Adds the state of the pool, read at each request for metrics. */
  watchPermits(scheduler: CpuScheduler): void {
    const registers = [this.registry];
    new Gauge({
      name: 'cpu_permits_busy',
      help: 'CPU permits in use',
      registers,
      collect() {
        this.set(scheduler.busy);
      },
    });
    new Gauge({
      name: 'cpu_permits_total',
      help: 'Total number of CPU permits',
      registers,
      collect() {
        this.set(scheduler.total);
      },
    });
    new Gauge({
      name: 'cpu_permits_waiting',
      help: 'Jobs that wait for a CPU permit',
      labelNames: ['priority'],
      registers,
      collect() {
        for (const priority of PRIORITIES) this.set({ priority }, scheduler.waiting(priority));
      },
    });
  }

  /** Adds the number of texts in synthesis. `read` is called at each request for metrics. */
  watchSpeech(read: () => number): void {
    new Gauge({
      name: 'speech_streams_open',
      help: 'Streams of audio that are being encoded',
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** Stops the measurements and their timers. */
  close(): void {
    this.#loopDelay.disable();
    this.registry.clear();
  }

  /** Starts to measure the delay of the event loop. @returns a function that stops it */
  readonly measureLoopDelay = (): (() => void) => {
    this.#loopDelay.enable();
    return () => this.#loopDelay.disable();
  };

  /** The delay while calls ran, without the resolution that each sample contains. */
  #watchLoop(): void {
    const delay = this.#loopDelay;
    const seconds = (ns: number) => Math.max(0, ns / NS_PER_S - LOOP_RESOLUTION_MS / 1000);
    new Gauge({
      name: 'event_loop_delay_seconds',
      help: 'Delay of timers on the main thread while calls run, since the start',
      labelNames: ['quantile'],
      registers: [this.registry],
      collect() {
        this.set({ quantile: '0.5' }, seconds(delay.percentile(50)));
        this.set({ quantile: '0.99' }, seconds(delay.percentile(99)));
        this.set({ quantile: '1' }, seconds(delay.max));
      },
    });
  }
}
