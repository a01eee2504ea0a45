import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { ModelStore } from '../../media/models/store.js';
import { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import { VoiceRegistry } from '../../media/tts/voice-registry.js';
import { LoadMonitor } from '../calls/admission/load-monitor.js';
import { callCommandRoutes } from '../calls/commands/call-commands.routes.js';
import { LlmRegistry } from '../calls/providers/llm-registry.js';
import { CallMetrics } from '../calls/session/call-metrics.js';
import { liveKitAccess } from '../channels/livekit/livekit-credentials.js';
import { SipProvisioner } from '../channels/livekit/sip-provisioner.js';
import type { Config } from '../config/config.js';
import { isLoopback } from '../config/setting-types.js';
import { apiKeyHealth } from '../features/auth/first-account.js';
import {
  type LanguageModelSettings,
  languageModels,
} from '../features/model-catalogue/language-model-settings.js';
import { CarrierRegistry } from '../features/phone-numbers/carrier-registry.js';
import type { ClusterWorker } from '../platform/cluster/cluster-worker.js';
import { httpOrigin, socketOrigin } from '../platform/http/public-origin.js';
import { gatewayHealth } from '../platform/observability/health.js';
import { makeLog } from '../platform/observability/log.js';
import { Metrics } from '../platform/observability/metrics.js';
import { watchWorkers } from '../platform/observability/worker-losses.js';
import { MODEL_ADVICE } from '../platform/process/models-command.js';
import type { Shutdown } from '../platform/process/shutdown.js';
import { allowHeapGrowth } from '../platform/process/v8-flags.js';
import { createCallArtifactsModule } from './call-artifacts.module.js';
import { createCallControlModule } from './call-control.module.js';
import { createCallHistoryModule } from './call-history.module.js';
import { createCallStoreModule } from './call-store.module.js';
import { createClusterModule } from './cluster.module.js';
import { createConnectionModule } from './connection.module.js';
import { createFeaturesModule } from './features.module.js';
import { createHttpModule, createHttpServer } from './http.module.js';
import { createInfrastructureModule } from './infrastructure.module.js';
import { createKnowledgeModule } from './knowledge.module.js';
import { createLiveKitModule } from './livekit.module.js';
import { createMediaModule } from './media.module.js';
import { createMonitoringModule } from './monitoring.module.js';
import { createPeersModule } from './peers.module.js';
import { createSessionsModule } from './sessions.module.js';
import { createSpeechModule } from './speech.module.js';
import { createTelephonyModule } from './telephony.module.js';
import { createWebhooksModule } from './webhooks.module.js';

export interface StartParts {
  readonly config: Config;
  readonly shutdown: Shutdown;
  /** This process in a cluster; undefined for the primary process and for a single gateway. */
  readonly worker: ClusterWorker | undefined;
  /** Called when the process cannot continue. */
  readonly onFatal: (error: unknown) => void;
}

export interface Started {
  readonly port: number;
  /** The first API key, if this start has created it. */
  readonly firstKey: string | undefined;
}

/** Time for closing everything except calls, which may continue for DRAIN_SECONDS. */
const CLOSE_MARGIN_MS = 6_000;
/** The same for the primary process of a cluster, which closes after its gateways. */
const CLUSTER_CLOSE_MARGIN_MS = 11_000;

interface Context extends StartParts {
  readonly gatewayId: string;
  readonly log: Logger;
  readonly languageModels: LanguageModelSettings;
}

/**
 * Starts a gateway or, with GATEWAYS above 1, a cluster. Everything that it opens is added to
 * `shutdown`. Resolves when clients can connect.
 * @throws StartError, MediaError, StartCancelled
 */
export async function start(parts: StartParts): Promise<Started> {
  const { config, shutdown, worker } = parts;
  const gatewayId = randomUUID();
  const log = createLog(config, worker && gatewayId);
  shutdown.log = log;
  const context = { ...parts, gatewayId, log, languageModels: languageModels(config) };
  const started = config.GATEWAYS > 1 ? await startCluster(context) : await startGateway(context);
  if (!worker && !isLoopback(config.HOST) && config.PUBLIC_URL === undefined) {
    log.warn('PUBLIC_URL is not set: Parley cannot issue links for other machines');
  }
  return started;
}

/** In a cluster, each line names the process that wrote it. */
function createLog(config: Config, workerId: string | undefined): Logger {
  const log = makeLog(config.LOG_LEVEL);
  return workerId ? log.child({ gateway: workerId.slice(0, 8), pid: process.pid }) : log;
}

async function startCluster(context: Context): Promise<Started> {
  const { config, shutdown } = context;
  shutdown.limitMs = config.DRAIN_SECONDS * 1_000 + CLUSTER_CLOSE_MARGIN_MS;
  const infrastructure = await createInfrastructureModule({ ...context, isWorker: false });
  await createClusterModule({ ...context, ...infrastructure });
  const { port, firstKey } = infrastructure;
  return { port, firstKey };
}

async function startGateway(context: Context): Promise<Started> {
  const { config, shutdown, worker, gatewayId } = context;
  shutdown.limitMs = config.DRAIN_SECONDS * 1_000 + CLOSE_MARGIN_MS;
  allowHeapGrowth();
  worker?.report({ type: 'starting', gatewayId });
  // Set when the server listens. `origin` and `socketOrigin` read it later.
  const address: { port: number | undefined } = { port: undefined };
  const measurement = createMeasurement(context);
  const infrastructure = await createInfrastructureModule({
    ...context,
    isWorker: worker !== undefined,
  });
  const peers = createPeersModule({ ...context, ...infrastructure });
  shutdown.add('peers', () => peers.closePeers());
  const core: Core = {
    ...context,
    ...measurement,
    ...infrastructure,
    ...peers,
    origin: () => httpOrigin(config, address.port),
    socketOrigin: () => socketOrigin(config, address.port),
  };
  const resources = await createResources(core);
  const server = createHttpServer(core);
  // `channels` exists before the first call can be ended.
  const calls = await createCallModules(core, resources, (callId) =>
    channels.telephony.outbound.stop(callId),
  );
  const channels = createChannels(core, resources, calls);
  const http = createHttpModule({
    ...core,
    server,
    routes: [...resources.routes, ...calls.routes, ...channels.routes],
    carrierWebhooks: channels.carrierWebhooks,
    sockets: [...resources.sockets, ...channels.sockets],
    health: [
      ...gatewayHealth(core.db, () => shutdown.isRequested),
      apiKeyHealth(config.DATA_DIR),
      ...channels.health,
    ],
  });
  // Added last, so closed first: running calls finish while everything else still works.
  shutdown.add('calls', () => channels.drain(shutdown.limitMs - CLOSE_MARGIN_MS));
  await channels.telephony.listen();
  address.port = await http.listen();
  shutdown.throwIfRequested();
  return { port: address.port, firstKey: core.firstKey };
}

type Infrastructure = Awaited<ReturnType<typeof createInfrastructureModule>>;
type Measurement = ReturnType<typeof createMeasurement>;
type Peers = ReturnType<typeof createPeersModule>;
interface Core extends Context, Infrastructure, Measurement, Peers {
  /** `http(s)://host[:port]` by which others reach this gateway; undefined where not known. */
  readonly origin: () => string | undefined;
  /** The same with `ws(s)`. */
  readonly socketOrigin: () => string | undefined;
}

/** Metrics, the load monitor, and the CPU scheduler, whose jobs are reported to both. */
function createMeasurement({ config, log, shutdown }: Context) {
  const metrics = new Metrics();
  shutdown.add('metrics', () => metrics.close());
  shutdown.add('worker losses', watchWorkers(metrics, log));
  const load = new LoadMonitor(log);
  const scheduler = new CpuScheduler(config.CPU_PERMITS, (...job) => {
    metrics.observePermit(...job);
    load.observeJob(...job);
  });
  metrics.watchPermits(scheduler);
  return { metrics, load, scheduler };
}

type Resources = Awaited<ReturnType<typeof createResources>>;

/** Models, features, webhooks and speech. */
async function createResources(core: Core) {
  const { config, log, shutdown, agents } = core;
  const modelStore = new ModelStore({
    modelsDir: config.MODELS_DIR,
    cacheDir: config.MODELS_CACHE,
    advice: MODEL_ADVICE,
  });
  const media = await createMediaModule({ ...core, modelStore });
  core.metrics.watchSpeech(() => media.encoders.openStreams);
  const knowledge = await createKnowledgeModule({ ...core, modelStore });
  shutdown.add('knowledge', () => knowledge.close());
  shutdown.throwIfRequested();
  const liveKit = liveKitAccess(config);
  const carriers = new CarrierRegistry(config);
  const features = await createFeaturesModule({
    ...core,
    ...media,
    modelStore,
    carriers,
    knowledgeBases: knowledge.directory,
    sipProvisioner: liveKit && new SipProvisioner(liveKit, core.numbers, log),
  });
  shutdown.add('dictionaries', () => features.close());
  const withoutModel = await agents.countWithoutModel();
  const fields = { agents: withoutModel, model: features.models.defaultLlmModel };
  if (withoutModel > 0) {
    log.info(fields, 'Deployed agents without llm_model use the default model');
  }
  const allowedHosts = config.OUTBOUND_ALLOWED_HOSTS;
  const webhooks = createWebhooksModule({ ...core, ...features, allowedHosts });
  shutdown.add('webhooks', () => webhooks.close());
  await webhooks.start({ isAlone: config.DATABASE_URL === undefined });
  shutdown.throwIfRequested();
  const speech = createSpeechModule({ ...core, ...media, ...features });
  return {
    ...media,
    ...features,
    ...webhooks,
    knowledge,
    carriers,
    liveKit,
    routes: [...features.routes, ...knowledge.routes, ...webhooks.routes, ...speech.routes],
    sockets: speech.sockets,
  };
}

/** @returns `host:port` for other gateways; undefined with an embedded database, which has no others. */
async function listenForPeers({ config, peerServer }: Core): Promise<string | undefined> {
  if (config.DATABASE_URL === undefined) return undefined;
  return peerServer.listen(config.GATEWAY_ADDRESS);
}

type CallModules = Awaited<ReturnType<typeof createCallModules>>;

/** Calls without the channels by which they arrive. */
async function createCallModules(
  core: Core,
  resources: Resources,
  onReservedEnded: (callId: string) => Promise<unknown>,
) {
  const { config, shutdown } = core;
  const { knowledge, models } = resources;
  const parts = { ...core, ...resources };
  const llmRegistry = new LlmRegistry({
    languageModels: resources.listLanguageModels,
    models,
    fallbacks: config.LLM_FALLBACKS,
    embedder: knowledge.embedder,
    knowledge: knowledge.search,
  });
  const store = createCallStoreModule(parts);
  const history = createCallHistoryModule({ ...parts, ...store, llmRegistry });
  shutdown.add('summaries', () => history.close());
  const { calls, turns } = store;
  const peerAddress = await listenForPeers(core);
  const control = await createCallControlModule({ ...parts, calls, peerAddress, onReservedEnded });
  shutdown.add('gateway failover', () => control.close());
  const artifacts = await createCallArtifactsModule({ ...parts, ...store });
  shutdown.add('recordings', () => artifacts.close());
  const monitoring = createMonitoringModule({ ...parts, calls, turns });
  shutdown.add('monitoring', () => monitoring.close());
  const sessions = createSessionsModule({
    ...parts,
    ...artifacts,
    ...control,
    calls,
    turns,
    llmRegistry,
    voiceRegistry: new VoiceRegistry(resources.voices),
    eventBus: monitoring.eventBus,
    observeFrame: core.metrics.observeFrame,
    measureLoopDelay: core.metrics.measureLoopDelay,
    metrics: new CallMetrics(core.metrics.registry),
  });
  shutdown.add('call sessions', () => sessions.close());
  artifacts.start();
  history.start();
  return {
    ...control,
    ...sessions,
    calls,
    routes: [...monitoring.routes, ...artifacts.routes, ...history.routes],
  };
}

/** The channels by which calls arrive, and the routes that start and control calls. */
function createChannels(core: Core, resources: Resources, modules: CallModules) {
  const { shutdown } = core;
  const { liveKit: access } = resources;
  const parts = { ...core, ...resources, ...modules };
  const liveKit = access && createLiveKitModule({ ...parts, access });
  if (liveKit) shutdown.add('LiveKit', () => liveKit.close());
  const telephony = createTelephonyModule(parts);
  shutdown.add('telephony', () => telephony.close());
  const { blocklist } = telephony;
  const connection = createConnectionModule({ ...parts, rooms: liveKit?.liveKitRooms });
  const { tokens } = connection;
  return {
    telephony,
    routes: [
      ...connection.routes,
      ...callCommandRoutes({ ...parts, tokens, blocklist }),
      ...telephony.routes,
    ],
    carrierWebhooks: [...(liveKit ? [liveKit.webhooks] : []), ...telephony.carrierWebhooks],
    sockets: [connection.socket, ...telephony.sockets],
    health: liveKit ? [liveKit.health] : [],
    /** Accepts no more calls. Resolves when the running ones have ended, at the latest after `ms`. */
    drain(ms: number): Promise<void> {
      const drained = modules.registry.drain(ms);
      liveKit?.drain();
      return drained;
    },
  };
}
