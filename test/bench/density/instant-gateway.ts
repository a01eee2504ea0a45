import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Gauge } from 'prom-client';
import { EncoderThread } from '../../../media/codec/encoder-thread.js';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { VoiceRegistry } from '../../../media/tts/voice-registry.js';
import { SmartTurn } from '../../../media/turn-detection/smart-turn.js';
import { SileroVoiceActivity } from '../../../media/vad/silero-voice-activity.js';
import { LoadMonitor } from '../../../src/calls/admission/load-monitor.js';
import { callCommandRoutes } from '../../../src/calls/commands/call-commands.routes.js';
import { CallMetrics } from '../../../src/calls/session/call-metrics.js';
import { createCallArtifactsModule } from '../../../src/composition/call-artifacts.module.js';
import { createCallControlModule } from '../../../src/composition/call-control.module.js';
import { createCallHistoryModule } from '../../../src/composition/call-history.module.js';
import { createCallStoreModule } from '../../../src/composition/call-store.module.js';
import { createConnectionModule } from '../../../src/composition/connection.module.js';
import { createDictionaries } from '../../../src/composition/features.module.js';
import { createInfrastructureModule } from '../../../src/composition/infrastructure.module.js';
import { createMonitoringModule } from '../../../src/composition/monitoring.module.js';
import { createPeersModule } from '../../../src/composition/peers.module.js';
import { createSessionsModule } from '../../../src/composition/sessions.module.js';
import { createTelephonyModule } from '../../../src/composition/telephony.module.js';
import { createWebhooksModule } from '../../../src/composition/webhooks.module.js';
import { readConfig } from '../../../src/config/config.js';
import { agentRoutes } from '../../../src/features/agents/agents.routes.js';
import { AgentService } from '../../../src/features/agents/agents.service.js';
import { ModelCatalogue } from '../../../src/features/model-catalogue/model-catalogue.js';
import { CarrierRegistry } from '../../../src/features/phone-numbers/carrier-registry.js';
import { VoiceOverrides } from '../../../src/features/voices/voice-overrides.js';
import { AllowedHosts } from '../../../src/platform/egress/allowed-hosts.js';
import { listen, stopListening } from '../../../src/platform/http/listen.js';
import { httpOrigin, socketOrigin } from '../../../src/platform/http/public-origin.js';
import { RateLimiter } from '../../../src/platform/http/rate-limit.js';
import { WebSocketRouter } from '../../../src/platform/http/websocket-router.js';
import { gatewayHealth } from '../../../src/platform/observability/health.js';
import { makeLog } from '../../../src/platform/observability/log.js';
import { Metrics } from '../../../src/platform/observability/metrics.js';
import { Shutdown } from '../../../src/platform/process/shutdown.js';
import { allowHeapGrowth } from '../../../src/platform/process/v8-flags.js';
import { addressIn, createApp } from '../../../src/server.js';
import { modelFolder } from '../../support/harness/process/model-folder.js';
import { liveBytes } from '../live-bytes.js';
import { hostileModel, instantModel, instantRecogniser, instantVoice } from './instant-models.js';

/**
 * A gateway for benchmarks: the product's calls, database, webhooks and limits with providers that
 * answer instantly, like remote ones without cost for this machine. VAD and turn detection are
 * real.
 */
const shutdown = new Shutdown(20_000);
const config = readConfig(process.env);
const log = makeLog(config.LOG_LEVEL);
allowHeapGrowth();
const metrics = new Metrics();
shutdown.add('metrics', () => metrics.close());
const { gc } = globalThis;
if (gc) {
  new Gauge({
    name: 'bench_live_bytes',
    help: 'What is alive after a collection, buffers included and compiled code left out',
    registers: [metrics.registry],
    collect() {
      this.set(liveBytes(gc));
    },
  });
}
const load = new LoadMonitor(log);
const scheduler = new CpuScheduler(config.CPU_PERMITS, (...job) => {
  metrics.observePermit(...job);
  load.observeJob(...job);
});
metrics.watchPermits(scheduler);
const onFatal = () => process.exit(1);
const infrastructure = await createInfrastructureModule({
  config,
  log,
  shutdown,
  isWorker: true,
  onFatal,
});
const { agents: repository, box, db, authenticator, numbers, ownVoices } = infrastructure;
const limiter = new RateLimiter({ requestsPerMinute: 0, failedAuthsPerMinute: 0 });
const dictionaries = createDictionaries({ config, db, scheduler, references: repository });
shutdown.add('dictionaries', () => dictionaries.close());
const overrides = new VoiceOverrides({
  voices: { list: () => [] },
  ownVoices,
  dictionaries: dictionaries.compiled,
});
const webhooks = createWebhooksModule({
  ...infrastructure,
  log,
  overrides,
  allowedHosts: [],
});
shutdown.add('webhooks', () => webhooks.close());
await webhooks.start({ isAlone: true });

const voiceActivity = new SileroVoiceActivity({
  folder: modelFolder('silero-vad'),
  onFault: (error) => log.error({ err: error }, 'Voice activity detection failed'),
});
const turnDetector = new SmartTurn({ folder: modelFolder('smart-turn-v3.2'), scheduler });
await Promise.all([voiceActivity.warm(), turnDetector.warm()]);
const closeSpeechModels = async () => {
  await Promise.all([voiceActivity.close(), turnDetector.close()]);
};
shutdown.add('ears', closeSpeechModels);
const encoders = new EncoderThread(scheduler);
shutdown.add('encoders', () => encoders.close());
const models = new ModelCatalogue({ prefix: config.MODEL_PREFIX, llmModels: [] });
const gatewayId = randomUUID();
const parts = {
  ...infrastructure,
  ...createPeersModule({ ...infrastructure, gatewayId, log }),
  ...webhooks,
  limiter,
  gatewayId,
  config,
  log,
  scheduler,
  load,
  models,
  overrides,
  llmRegistry: {
    get: (id: string) => (id === hostileModel.id ? hostileModel : instantModel),
    fallbacksFor: () => [],
  },
  encoders,
  dictionaries: dictionaries.compiled,
  carriers: new CarrierRegistry(config),
  origin: () => httpOrigin(config, config.PORT),
  socketOrigin: () => socketOrigin(config, config.PORT),
};
const store = createCallStoreModule(parts);
const { calls, turns } = store;
const history = createCallHistoryModule({ ...parts, ...store });
shutdown.add('summaries', () => history.close());
const control = await createCallControlModule({
  ...parts,
  calls,
  peerAddress: undefined,
  onReservedEnded: (callId) => telephony.outbound.stop(callId),
});
shutdown.add('gateway failover', () => control.close());
const artifacts = await createCallArtifactsModule({ ...parts, ...store });
shutdown.add('recordings', () => artifacts.close());
const monitoring = createMonitoringModule({ ...parts, calls, turns });
shutdown.add('monitoring', () => monitoring.close());
const session = createSessionsModule({
  ...parts,
  ...artifacts,
  ...control,
  calls,
  turns,
  voiceRegistry: new VoiceRegistry([instantVoice]),
  listeningModels: {
    voiceActivity,
    turnDetector,
    speechToText: instantRecogniser,
    close: closeSpeechModels,
  },
  eventBus: monitoring.eventBus,
  observeFrame: metrics.observeFrame,
  measureLoopDelay: metrics.measureLoopDelay,
  metrics: new CallMetrics(metrics.registry),
});
shutdown.add('call sessions', () => session.close());
artifacts.start();
history.start();
const channelParts = { ...parts, ...control, ...session, calls };
const telephony = createTelephonyModule(channelParts);
const connection = createConnectionModule({ ...channelParts, rooms: undefined });
const agents = new AgentService({
  repository,
  box,
  allowedHosts: new AllowedHosts([]),
  languages: { problemWith: async () => undefined },
  knowledgeBases: { exists: async () => false },
  log,
  numbers,
});
const app = createApp({
  log,
  metrics,
  authenticator,
  routes: [
    ...connection.routes,
    ...callCommandRoutes({
      calls,
      commands: control.commands,
      blocklist: telephony.blocklist,
      tokens: connection.tokens,
      authenticator,
    }),
    ...monitoring.routes,
    ...artifacts.routes,
    ...history.routes,
    ...telephony.routes,
    ...agentRoutes({ agents, models }),
  ],
  limiter,
  maxBodyBytes: config.MAX_BODY_BYTES,
  health: gatewayHealth(db, () => false),
  trustProxy: false,
  carrierWebhooks: telephony.carrierWebhooks,
});
const sockets = new WebSocketRouter([connection.socket, ...telephony.sockets], {
  authenticator,
  log,
  limiter,
  addressOf: addressIn(app),
});
const server = createServer(app).on('upgrade', sockets.handle);
await listen(server, config.HOST, config.PORT);
shutdown.add('server', () => stopListening(server, 5_000));
shutdown.add('sockets', () => sockets.close());
shutdown.add('calls', () => control.registry.drain(1_000));
process.on('SIGTERM', async () => {
  process.exit((await shutdown.close()) ? 0 : 1);
});
