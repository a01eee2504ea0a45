import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Gauge } from 'prom-client';
import { EncoderThread } from '../../../media/codec/encoder-thread.js';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { VoiceRegistry } from '../../../media/tts/voice-registry.js';
import { SmartTurn } from '../../../media/turn-detection/smart-turn.js';
import { SileroVoiceActivity } from '../../../media/vad/silero-voice-activity.js';
import { LoadMonitor } from '../../../src/calls/admission/load-monitor.js';
import { CallMetrics } from '../../../src/calls/session/call-metrics.js';
import { MediaConnector } from '../../../src/calls/session/media-connector.js';
import { openCalls } from '../../../src/composition/calls.module.js';
import { openDatabase } from '../../../src/composition/infrastructure.module.js';
import { openDictionaries } from '../../../src/composition/open-dictionaries.js';
import { openKeys } from '../../../src/composition/open-keys.js';
import { openTwilio } from '../../../src/composition/open-twilio.js';
import { createPeers } from '../../../src/composition/peers.module.js';
import { openWebhooks } from '../../../src/composition/webhooks.module.js';
import { readConfig } from '../../../src/config/config.js';
import { AgentTools } from '../../../src/features/agent-tools/agent-tools.js';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import { agentRoutes } from '../../../src/features/agents/agents.routes.js';
import { AgentService } from '../../../src/features/agents/agents.service.js';
import { ensureFirstAccount } from '../../../src/features/auth/first-account.js';
import { ModelCatalog } from '../../../src/features/model-catalog/model-catalog.js';
import { NumberOwnership } from '../../../src/features/ownership/number-ownership.js';
import { VoiceOverrides } from '../../../src/features/voices/voice-overrides.js';
import { VoicesRepository } from '../../../src/features/voices/voices.repository.js';
import { AllowedHosts } from '../../../src/platform/egress/allowed-hosts.js';
import { listen, stopListening } from '../../../src/platform/http/listen.js';
import { httpOrigin, socketOrigin } from '../../../src/platform/http/public-origin.js';
import { RateLimiter } from '../../../src/platform/http/rate-limit.js';
import { WebSocketRouter } from '../../../src/platform/http/websocket-router.js';
import { ownHealthParts } from '../../../src/platform/observability/health.js';
import { makeLog } from '../../../src/platform/observability/log.js';
import { Metrics } from '../../../src/platform/observability/metrics.js';
import { prepareDataDir } from '../../../src/platform/process/data-dir.js';
import { Shutdown } from '../../../src/platform/process/shutdown.js';
import { letHeapGrow } from '../../../src/platform/process/v8-flags.js';
import { SecretBox } from '../../../src/platform/secrets/secret-box.js';
import { loadSecretKeys } from '../../../src/platform/secrets/secret-keys.js';
import { addressIn, createApp } from '../../../src/server.js';
import { modelFolder } from '../../support/harness/process/model-folder.js';
import { liveBytes } from '../live-bytes.js';
import { hostileModel, instantModel, instantRecogniser, instantVoice } from './instant-models.js';

/**
 * The product's calls, with its database, webhooks and limits, put together for benches alone:
 * recogniser, language model and voice answer at once, as remote ones would that cost this machine
 * nothing; what listens for speech and for the ends of turns is real.
 */
const shutdown = new Shutdown(20_000);
const config = readConfig(process.env);
const log = makeLog(config.LOG_LEVEL);
letHeapGrow();
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
  load.job(...job);
});
metrics.watchPermits(scheduler);
await prepareDataDir(config.DATA_DIR);
const onLost = () => process.exit(1);
const { db } = await openDatabase({ config, log, shutdown, onLost });
const secrets = await loadSecretKeys(config.DATA_DIR, config.SECRET_KEY);
const box = new SecretBox(secrets);
await ensureFirstAccount({ db, dataDir: config.DATA_DIR, box });
const keys = openKeys(config, db, secrets);

const repository = new AgentsRepository(db);
const dictionaries = openDictionaries({ config, db, scheduler, users: repository });
shutdown.add('dictionaries', () => dictionaries.close());
const overrides = new VoiceOverrides({
  voices: { list: () => [] },
  ownVoices: new VoicesRepository(db),
  dictionaries: dictionaries.compiled,
});
const webhooks = openWebhooks({ db, box, log, overrides, allowedHosts: [] });
shutdown.add('webhooks', () => webhooks.close());
await webhooks.start({ isAlone: true });

const voiceActivity = new SileroVoiceActivity({
  folder: modelFolder('silero-vad'),
  onFault: (error) => log.error({ err: error }, 'voice activity failed'),
});
const turnDetector = new SmartTurn({ folder: modelFolder('smart-turn-v3.2'), scheduler });
await Promise.all([voiceActivity.warm(), turnDetector.warm()]);
const closeEars = async () => {
  await Promise.all([voiceActivity.close(), turnDetector.close()]);
};
shutdown.add('ears', closeEars);
const encoders = new EncoderThread(scheduler);
shutdown.add('encoders', () => encoders.close());
const tools = new AgentTools({ outbound: webhooks.outbound, log });
shutdown.add('tools', () => tools.close());
const models = new ModelCatalog({ prefix: config.MODEL_PREFIX, llmModels: [] });
const gatewayId = randomUUID();
const calls = await openCalls({
  gatewayId,
  peers: createPeers({ gatewayId, db, secrets, log }),
  config,
  db,
  box,
  secrets,
  keys,
  log,
  models,
  overrides,
  replies: {
    get: (id) => (id === hostileModel.id ? hostileModel : instantModel),
    fallbacksFor: () => [],
  },
  tools,
  voices: new VoiceRegistry([instantVoice]),
  ears: { voiceActivity, turnDetector, recogniser: instantRecogniser, close: closeEars },
  encoders,
  events: webhooks.events,
  inboundCalls: webhooks.inboundCalls,
  load,
  observeFrame: metrics.observeFrame,
  metrics: new CallMetrics(metrics.registry),
  scheduler,
  dictionaries: dictionaries.compiled,
  origin: () => undefined,
  socketOrigin: () => socketOrigin(config, config.PORT),
});
const agents = new AgentService({
  repository,
  box,
  allowedHosts: new AllowedHosts([]),
  languages: { problemWith: async () => undefined },
  knowledgeBases: { exists: async () => false },
  log,
  numbers: new NumberOwnership(db),
});
const limiter = new RateLimiter({ requestsPerMinute: 0, failedAuthsPerMinute: 0 });
const twilio = openTwilio({
  ...calls,
  config,
  db,
  secrets,
  phones: new MediaConnector(calls),
  inboundCalls: webhooks.inboundCalls,
  limiter,
  origin: () => httpOrigin(config, config.PORT),
});
const app = createApp({
  log,
  metrics,
  keys,
  routes: [...calls.routes, ...agentRoutes({ agents, repository, models })],
  limiter,
  maxBodyBytes: config.MAX_BODY_BYTES,
  health: ownHealthParts({ dataDir: config.DATA_DIR, db, isStopping: () => false }),
  trustProxy: false,
  roots: [twilio.root],
});
const sockets = new WebSocketRouter([calls.socket, twilio.socket], {
  keys,
  log,
  limiter,
  addressOf: addressIn(app),
});
const server = createServer(app).on('upgrade', sockets.handle);
await listen(server, config.HOST, config.PORT);
shutdown.add('server', () => stopListening(server, 5_000));
shutdown.add('sockets', () => sockets.close());
shutdown.add('calls', () => calls.close(1_000));
process.on('SIGTERM', async () => {
  process.exit((await shutdown.run()) ? 0 : 1);
});
