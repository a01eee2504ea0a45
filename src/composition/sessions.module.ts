import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { SpeechCache } from '../../agents-runtime/output/speech-cache.js';
import { type FrameObserver, FrameTicker } from '../../agents-runtime/timing/frame-ticker.js';
import { systemClock } from '../../agents-runtime/timing/system-clock.js';
import type { VoiceRegistry } from '../../media/tts/voice-registry.js';
import { CallSlots } from '../calls/admission/call-slots.js';
import { CreditMonitor } from '../calls/admission/credit-monitor.js';
import type { LoadMonitor } from '../calls/admission/load-monitor.js';
import { createCallTap } from '../calls/monitoring/call-tap.js';
import type { LiveEventBus } from '../calls/monitoring/live-event-bus.js';
import { createCallProviders } from '../calls/providers/call-providers.js';
import type { ListeningModels } from '../calls/providers/listening-models.js';
import type { LlmRegistry } from '../calls/providers/llm-registry.js';
import { SttProviders } from '../calls/providers/stt-providers.js';
import {
  createRecordingObserver,
  createReplayObserver,
} from '../calls/recordings/recording-observers.js';
import type { RecordingService } from '../calls/recordings/recordings.service.js';
import type { ReplayFiles } from '../calls/recordings/replay-files.js';
import type { CallMetrics } from '../calls/session/call-metrics.js';
import type { CallRegistry } from '../calls/session/call-registry.js';
import { CallSessionFactory } from '../calls/session/call-session.factory.js';
import type { CallTurnsRepository } from '../calls/store/call-turns.repository.js';
import type { CallsRepository } from '../calls/store/calls.repository.js';
import type { Config } from '../config/config.js';
import { AgentTools } from '../features/agent-tools/agent-tools.js';
import { McpConnections } from '../features/agent-tools/mcp/mcp-servers.js';
import { ArgumentValidator } from '../features/agent-tools/validation/argument-validator.js';
import type { AgentsRepository } from '../features/agents/agents.repository.js';
import { resolveCallConfig } from '../features/agents/resolve-call-config.js';
import type { CompiledDictionaries } from '../features/dictionaries/compiled-dictionaries.js';
import type { ModelCatalogue } from '../features/model-catalogue/model-catalogue.js';
import type { EgressClient } from '../platform/egress/egress-client.js';
import type { SecretBox } from '../platform/secrets/secret-box.js';

export interface SessionsParts {
  /** Identifies this process; new at each start. */
  readonly gatewayId: string;
  readonly config: Config;
  readonly db: Knex;
  readonly box: SecretBox;
  readonly log: Logger;
  readonly agents: AgentsRepository;
  readonly calls: CallsRepository;
  readonly turns: CallTurnsRepository;
  readonly registry: CallRegistry;
  readonly models: ModelCatalogue;
  readonly llmRegistry: Pick<LlmRegistry, 'get' | 'fallbacksFor'>;
  /** Sends the requests of agents' tools. */
  readonly egress: EgressClient;
  readonly voiceRegistry: VoiceRegistry;
  readonly listeningModels: ListeningModels;
  readonly dictionaries: CompiledDictionaries;
  readonly recordings: RecordingService;
  readonly replays: ReplayFiles | undefined;
  /** Receives the events of calls for monitoring. */
  readonly eventBus: LiveEventBus;
  readonly load: LoadMonitor;
  readonly observeFrame: FrameObserver;
  /** Starts to measure the delay of the event loop. @returns a function that stops it */
  readonly measureLoopDelay: () => () => void;
  readonly metrics: CallMetrics;
}

/** Everything that this gateway needs to hold calls: admission, providers, tools and observers. */
export function createSessionsModule(parts: SessionsParts) {
  const { config, box, gatewayId, log, calls, registry, load, metrics, models } = parts;
  const { eventBus, listeningModels, recordings, replays } = parts;
  registry.whileActive(() => {
    load.start(() => registry.size);
    return () => load.stop();
  });
  metrics.watchLoad(load);
  metrics.watchVoiceActivity(() => listeningModels.voiceActivity.dropped);
  const creditMonitor = new CreditMonitor({ calls, gatewayId, registry, log });
  registry.whileActive(() => {
    creditMonitor.start();
    return () => creditMonitor.pause();
  });
  registry.whileActive(parts.measureLoopDelay);
  const ticker = createTicker(parts);
  const tools = createAgentTools(parts);
  const sessions = new CallSessionFactory({
    ...parts,
    providers: createCallProviders({
      ...parts,
      voices: parts.voiceRegistry,
      sttProviders: new SttProviders(listeningModels.speechToText, config, log),
      speechCache: new SpeechCache(systemClock),
      tools,
    }),
    ticker,
    resolveConfig: (agent, overrides) => resolveCallConfig(agent, overrides, { models, box }),
    observers: [
      () => metrics.observeCall(),
      createCallTap(eventBus),
      createRecordingObserver(recordings),
      ...(replays ? [createReplayObserver(replays)] : []),
    ],
  });
  return {
    sessions,
    slots: new CallSlots({ calls, registry, load, warmCaches: sessions.warmCaches }),
    ticker,
    /** Call this after the calls have ended. */
    async close() {
      await creditMonitor.close();
      await tools.close();
    },
  };
}

/** All calls share one ticker; its delay is a measure of the load. */
function createTicker({ load, log, observeFrame }: SessionsParts): FrameTicker {
  return new FrameTicker(
    systemClock,
    (lateMs) => {
      observeFrame(lateMs);
      load.observeFrame(lateMs);
    },
    (error) => log.error({ err: error }, 'Error in a listener of the frame ticker'),
  );
}

/** The tools that agents can call: webhooks, and those of MCP servers. */
export function createAgentTools({ egress, log }: Pick<SessionsParts, 'egress' | 'log'>) {
  const validator = new ArgumentValidator(log);
  const mcp = new McpConnections({ egress, validator, log });
  return new AgentTools({ egress, validator, mcp, log });
}
