import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Gauge } from 'prom-client';
import { EncoderThread } from '../../../media/codec/encoder-thread.js';
import { CpuScheduler } from '../../../media/runtime/cpu-scheduler.js';
import { VoiceRegistry } from '../../../media/tts/voice-registry.js';
import { SmartTurn } from '../../../media/turn-detection/smart-turn.js';
import { SileroVoiceActivity } from '../../../media/vad/silero-voice-activity.js';
import { Agents } from '../../../src/agents/agents.js';
import { AgentsRepository } from '../../../src/agents/agents.repository.js';
import { agentRoutes } from '../../../src/agents/agents.routes.js';
import { addressIn, createApp } from '../../../src/app.js';
import { CallMetrics } from '../../../src/calls/call-metrics.js';
import { letHeapGrow } from '../../../src/calls/heap-growth.js';
import { LoadWatch } from '../../../src/calls/load-watch.js';
import { openCalls } from '../../../src/calls/open-calls.js';
import { VoiceOverrides } from '../../../src/calls/voice-overrides.js';
import { readConfig } from '../../../src/config.js';
import { prepareDataDir } from '../../../src/data-dir.js';
import { openDatabase } from '../../../src/db/open-database.js';
import { openDictionaries } from '../../../src/dictionaries/open-dictionaries.js';
import { ownHealthParts } from '../../../src/health.js';
import { listen, stopListening } from '../../../src/http/listen.js';
import { httpOrigin, socketOrigin } from '../../../src/http/own-address.js';
import { RateLimiter } from '../../../src/http/rate-limit.js';
import { UpgradeDispatcher } from '../../../src/http/upgrade.js';
import { ensureFirstAccount } from '../../../src/keys/first-account.js';
import { openKeys } from '../../../src/keys/open-keys.js';
import { makeLog } from '../../../src/log.js';
import { Metrics } from '../../../src/metrics.js';
import { ModelListing } from '../../../src/models-listing/model-listing.js';
import { NumberOwnership } from '../../../src/numbers/number-ownership.js';
import { AllowedHosts } from '../../../src/outbound/allowed-hosts.js';
import { SecretBox } from '../../../src/secrets/secret-box.js';
import { loadSecretKeys } from '../../../src/secrets/secret-keys.js';
import { Shutdown } from '../../../src/shutdown.js';
import { PhoneConnections } from '../../../src/telephony/phone-connections.js';
import { openTwilio } from '../../../src/telephony/twilio/open-twilio.js';
import { AgentTools } from '../../../src/tools/agent-tools.js';
import { VoicesRepository } from '../../../src/voices/voices.repository.js';
import { openWebhooks } from '../../../src/webhooks/open-webhooks.js';
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
const load = new LoadWatch(log);
const permits = new CpuScheduler(config.CPU_PERMITS, (...job) => {
  metrics.observePermit(...job);
  load.job(...job);
});
metrics.watchPermits(permits);
await prepareDataDir(config.DATA_DIR);
const onLost = () => process.exit(1);
const { db } = await openDatabase({ config, log, shutdown, onLost });
const secrets = await loadSecretKeys(config.DATA_DIR, config.SECRET_KEY);
const box = new SecretBox(secrets);
await ensureFirstAccount({ db, dataDir: config.DATA_DIR, box });
const keys = openKeys(config, db, secrets);

const repository = new AgentsRepository(db);
const dictionaries = openDictionaries({ config, db, permits, users: repository });
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
const turnDetector = new SmartTurn({ folder: modelFolder('smart-turn-v3.2'), permits });
await Promise.all([voiceActivity.warm(), turnDetector.warm()]);
const closeEars = async () => {
  await Promise.all([voiceActivity.close(), turnDetector.close()]);
};
shutdown.add('ears', closeEars);
const encoders = new EncoderThread(permits);
shutdown.add('encoders', () => encoders.close());
const tools = new AgentTools({ outbound: webhooks.outbound, log });
shutdown.add('tools', () => tools.close());
const models = new ModelListing({ prefix: config.MODEL_PREFIX, llmModels: [] });
const calls = await openCalls({
  gatewayId: randomUUID(),
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
  permits,
  dictionaries: dictionaries.compiled,
  origin: () => undefined,
  socketOrigin: () => socketOrigin(config, config.PORT),
});
const agents = new Agents({
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
  phones: new PhoneConnections(calls),
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
const sockets = new UpgradeDispatcher([calls.socket, twilio.socket], {
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
