import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Clock } from '../../../agents-runtime/contract/clock.js';
import type { LanguageModel } from '../../../agents-runtime/contract/language-model.js';
import {
  type SummarisedTurn,
  summariseExtractively,
  summariseWithLlm,
} from '../../../agents-runtime/reply/call-summary.js';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import type { Agent } from '../../features/agents/agent.model.js';
import type { AgentsRepository } from '../../features/agents/agents.repository.js';
import { BUILT_IN_RESPONDER } from '../../features/model-catalogue/model-catalogue.js';
import type { WebhookOutboxPort } from '../../features/webhooks/webhook-events.js';
import { JobQueue } from '../../platform/jobs/job-queue.js';
import { PeriodicTask } from '../../platform/jobs/periodic-task.js';
import type { LlmRegistry } from '../providers/llm-registry.js';
import type { CallRow } from '../store/call.model.js';
import type { CallTurnsRepository } from '../store/call-turns.repository.js';
import { SUMMARISE_JOB, type SummariesRepository } from './summaries.repository.js';

export interface SummaryServiceParts {
  readonly db: Knex;
  readonly log: Logger;
  readonly repository: SummariesRepository;
  readonly agents: AgentsRepository;
  readonly turns: Pick<CallTurnsRepository, 'read'>;
  readonly llmRegistry: Pick<LlmRegistry, 'get'>;
  readonly events: WebhookOutboxPort;
  readonly clock?: Clock;
}

/** Concurrent summaries of this gateway. */
const CONCURRENCY = 4;
/** Time limit of the model, ms. */
const MODEL_MS = 15_000;
const SWEEP_MS = 15_000;
/** Turns that are read. The model receives the part that fits its context. */
const MAX_TURNS = 2_000;

/**
 * Summarises ended calls with the agent's language model. With the built-in responder, or if the model
 * fails, the summary is extractive. It is stored with the call and completes the held event.
 */
export class SummaryService {
  readonly #parts: SummaryServiceParts;
  readonly #repository: SummariesRepository;
  readonly #agents: AgentsRepository;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  #queue: JobQueue | undefined;
  readonly #sweep: PeriodicTask;

  constructor(parts: SummaryServiceParts) {
    this.#parts = parts;
    this.#repository = parts.repository;
    this.#agents = parts.agents;
    this.#clock = parts.clock ?? systemClock;
    this.#sweep = new PeriodicTask({
      intervalMs: SWEEP_MS,
      run: () => this.#repository.sweep(),
      onError: (error) =>
        parts.log.warn(
          { err: error },
          'Cannot search for overdue summaries; the next search is in 15 s',
        ),
    });
  }

  start(): void {
    const { db, log } = this.#parts;
    const tasks = { [SUMMARISE_JOB]: (payload: unknown) => this.make(readCallId(payload)) };
    this.#queue = new JobQueue({ db, log, tasks, concurrency: CONCURRENCY });
    void this.#sweep.runNow();
    this.#sweep.start();
  }

  /** Another gateway, or the next start, completes the rest. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#sweep.close();
    await this.#queue?.close();
  }

  /** Summarises a call that has no summary yet. */
  async make(callId: string): Promise<void> {
    const { db, events } = this.#parts;
    const call = await this.#repository.findWaiting(callId);
    if (!call) return;
    const summary = await this.#summaryOf(call);
    await db.transaction(async (transaction) => {
      if (!(await this.#repository.save(transaction, callId, summary))) return;
      await events.amend(transaction, callId, {
        event: 'call.completed',
        data: { transcript_summary: summary },
      });
    });
  }

  async #summaryOf(call: CallRow): Promise<string> {
    const turns = await this.#turnsOf(call.call_id);
    const agent = await this.#agents.find(call.account_id, call.agent_id);
    const model = agent && this.#modelOf(agent);
    if (!model || !turns.some(({ role }) => role === 'user')) return summariseExtractively(turns);
    const until = this.#clock.now() + MODEL_MS;
    const request = () =>
      summariseWithLlm(model, turns, {
        language: agent.config.tts_params?.language ?? 'en',
        limitMs: until - this.#clock.now(),
        clock: this.#clock,
        signal: this.#closing.signal,
      });
    try {
      // One retry within the time limit.
      return await request().catch(request);
    } catch (error) {
      // Another gateway repeats the job.
      if (this.#closing.signal.aborted) throw error;
      this.#parts.log.warn(
        { err: error, callId: call.call_id },
        'The model did not summarise the call: the summary is extractive',
      );
      return summariseExtractively(turns);
    }
  }

  /** Undefined if the agent has no language model. */
  #modelOf({ config }: Agent): LanguageModel | undefined {
    const model = this.#parts.llmRegistry.get(config.llm_model ?? '');
    return model.id === BUILT_IN_RESPONDER ? undefined : model;
  }

  async #turnsOf(callId: string): Promise<readonly SummarisedTurn[]> {
    const turns: SummarisedTurn[] = [];
    for await (const page of this.#parts.turns.read(callId)) {
      turns.push(...page.map(({ role, text, cut }) => ({ role, text, cut })));
      if (turns.length >= MAX_TURNS) break;
    }
    return turns;
  }
}

/** Only the repository adds jobs of this kind. */
function readCallId(payload: unknown): string {
  return String((payload as { readonly call_id?: unknown }).call_id);
}
