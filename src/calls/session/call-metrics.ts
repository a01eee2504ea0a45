import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { TurnLatency } from '../../../agents-runtime/contract/call-log.js';
import type { CallObserver, TurnOutcome } from '../../../agents-runtime/contract/call-observer.js';
import type { AgentState } from '../../../agents-runtime/contract/transport.js';
import { LATENCY_PARTS } from '../../../agents-runtime/session/turn-latency.js';
import { VAD_WINDOW } from '../../../media/vad/voice-activity.js';

const LATENCY_BUCKETS_S = [
  0.01, 0.02, 0.04, 0.08, 0.12, 0.2, 0.3, 0.5, 0.65, 0.8, 1, 1.2, 1.5, 2, 3, 5, 8,
];
const SILENCE_BUCKETS_S = [0.1, 0.25, 0.5, 1, 1.5, 2, 3, 5, 8, 12, 20];
const DURATION_BUCKETS_S = [5, 15, 30, 60, 120, 300, 600, 1200, 3600];
const MS_PER_S = 1000;
const CALLER_SAMPLE_RATE = 16_000;

/** Prometheus metrics of calls. They contain no personal data. */
export class CallMetrics {
  readonly #states = new Map<object, AgentState>();
  readonly #turns: Counter<'outcome'>;
  readonly #latency: Histogram<'part'>;
  readonly #deadAir: Histogram;
  readonly #ended: Counter<'reason'>;
  readonly #duration: Histogram;
  readonly #faults: Counter<'part'>;
  readonly #dropped: Counter;
  readonly #registry: Registry;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#registry = registry;
    const states = this.#states;
    new Gauge({
      name: 'calls',
      help: "Running calls of this gateway, by the agent's state",
      labelNames: ['state'],
      registers,
      collect() {
        this.reset();
        for (const state of ['initializing', 'listening', 'thinking', 'speaking']) {
          this.set({ state }, 0);
        }
        for (const state of states.values()) this.inc({ state });
      },
    });
    this.#turns = new Counter({
      name: 'turns_total',
      help: 'Turns of callers by outcome, and interrupted answers',
      labelNames: ['outcome'],
      registers,
    });
    this.#latency = new Histogram({
      name: 'turn_latency_seconds',
      help: "Time from the caller's last sample to the agent's first played sample: the parts and the total",
      labelNames: ['part'],
      buckets: LATENCY_BUCKETS_S,
      registers,
    });
    this.#deadAir = new Histogram({
      name: 'dead_air_seconds',
      help: 'Silence while the caller waited for an answer',
      buckets: SILENCE_BUCKETS_S,
      registers,
    });
    this.#ended = new Counter({
      name: 'calls_ended_total',
      help: 'Ended calls, by reason',
      labelNames: ['reason'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'call_duration_seconds',
      help: 'Duration of calls',
      buckets: DURATION_BUCKETS_S,
      registers,
    });
    this.#faults = new Counter({
      name: 'call_faults_total',
      help: 'Faults that did not end the call, by part',
      labelNames: ['part'],
      registers,
    });
    this.#dropped = new Counter({
      name: 'dropped_audio_seconds_total',
      help: 'Audio of callers that was dropped because it was too far ahead of real time',
      registers,
    });
  }

  /** Creates the observer of a new call. */
  observeCall(): CallObserver {
    const id = {};
    const startedAt = performance.now();
    let thinkingSince: number | undefined;
    this.#states.set(id, 'initializing');
    const endWait = () => {
      if (thinkingSince === undefined) return;
      this.#deadAir.observe((performance.now() - thinkingSince) / MS_PER_S);
      thinkingSince = undefined;
    };
    return {
      output: (event) => {
        if (event.type !== 'send' || event.event.type !== 'state') return;
        const { state } = event.event;
        if (state === 'thinking') thinkingSince ??= performance.now();
        else endWait();
        this.#states.set(id, state);
      },
      turnOutcome: (outcome: TurnOutcome) => this.#turns.inc({ outcome: turnLabel(outcome) }),
      latency: (latency: TurnLatency) => {
        for (const part of [...LATENCY_PARTS, 'total'] as const) {
          this.#latency.observe({ part }, latency[part] / MS_PER_S);
        }
      },
      fault: (part) => this.#faults.inc({ part }),
      dropped: (samples) => this.#dropped.inc(samples / CALLER_SAMPLE_RATE),
      ended: (reason) => {
        // The caller hung up while waiting for an answer. This silence counts, too.
        endWait();
        this.#states.delete(id);
        this.#ended.inc({ reason });
        this.#duration.observe((performance.now() - startedAt) / MS_PER_S);
      },
    };
  }

  /** Adds the gauge of admission. */
  watchLoad(load: { readonly admitsCalls: boolean }): void {
    new Gauge({
      name: 'calls_admitted',
      help: '1 if new calls are admitted, 0 if the gateway is overloaded',
      registers: [this.#registry],
      collect() {
        this.set(load.admitsCalls ? 1 : 0);
      },
    });
  }

  /** @param read - returns the windows that the VAD has dropped so far; called for each scrape */
  watchVoiceActivity(read: () => number): void {
    new Counter({
      name: 'voice_activity_dropped_seconds_total',
      help: 'Audio of callers that counted as silence because the VAD was late',
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc((read() * VAD_WINDOW) / CALLER_SAMPLE_RATE);
      },
    });
  }
}

/** The label `outcome` of `turns_total`. Dashboards use these names. */
function turnLabel(outcome: TurnOutcome): string {
  return outcome === 'no-transcript' ? 'unheard' : outcome;
}
