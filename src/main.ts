import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { FrameObserver } from '../agents-runtime/timing/frame-ticker.js';
import { MODEL_CATALOGUE } from '../media/models/catalogue.js';
import { ModelStore } from '../media/models/store.js';
import { CpuScheduler } from '../media/runtime/cpu-scheduler.js';
import { VoiceRegistry } from '../media/tts/voice-registry.js';
import { LoadMonitor } from './calls/admission/load-monitor.js';
import { LlmRegistry } from './calls/providers/llm-registry.js';
import { loadSttModels } from './calls/providers/stt-models.js';
import { CallMetrics } from './calls/session/call-metrics.js';
import { MediaConnector } from './calls/session/media-connector.js';
import { openCalls } from './composition/calls.module.js';
import { openGroup } from './composition/cluster.module.js';
import { openApi } from './composition/features.module.js';
import { openDatabase } from './composition/infrastructure.module.js';
import { openKnowledge } from './composition/knowledge.module.js';
import { openDictionaries } from './composition/open-dictionaries.js';
import { openKeys } from './composition/open-keys.js';
import { openListing } from './composition/open-listing.js';
import { createPeers, type Peers } from './composition/peers.module.js';
import { openSpeech } from './composition/speech.module.js';
import { openTelephony } from './composition/telephony.module.js';
import { openWebhooks } from './composition/webhooks.module.js';
import { type Config, readConfig } from './config/config.js';
import { isLoopback } from './config/setting-types.js';
import { StartError } from './config/start-error.js';
import { AgentTools } from './features/agent-tools/agent-tools.js';
import { AgentsRepository } from './features/agents/agents.repository.js';
import { findSealKeyIds } from './features/agents/secret-rotation.js';
import { API_KEY_FILE, ensureFirstAccount } from './features/auth/first-account.js';
import {
  type ListedLanguageModel,
  languageModels,
} from './features/model-catalog/language-model-settings.js';
import type { ModelCatalog } from './features/model-catalog/model-catalog.js';
import { VoiceCatalog } from './features/voices/voice-catalog.js';
import { VoiceOverrides } from './features/voices/voice-overrides.js';
import { VoicesRepository } from './features/voices/voices.repository.js';
import { ClusterWorker } from './platform/cluster/worker.js';
import { IdempotencyService } from './platform/http/idempotency.js';
import { IdempotencyRepository } from './platform/http/idempotency.repository.js';
import { createLimitedServer, type ServerLimits } from './platform/http/limited-server.js';
import { listen, stopListening, tryListening } from './platform/http/listen.js';
import { hostInUrl, httpOrigin, socketOrigin } from './platform/http/public-origin.js';
import { RateLimiter } from './platform/http/rate-limit.js';
import { type SocketRoute, WebSocketRouter } from './platform/http/websocket-router.js';
import { ownHealthParts } from './platform/observability/health.js';
import { makeLog } from './platform/observability/log.js';
import { Metrics } from './platform/observability/metrics.js';
import { watchWorkers } from './platform/observability/worker-losses.js';
import { announcementLines, faultSentence } from './platform/process/announcement.js';
import { prepareDataDir } from './platform/process/data-dir.js';
import { Overtaken, Shutdown } from './platform/process/shutdown.js';
import { letHeapGrow } from './platform/process/v8-flags.js';
import { SecretBox } from './platform/secrets/secret-box.js';
import { loadSecretKeys } from './platform/secrets/secret-keys.js';
import { type AppParts, addressIn, createApp } from './server.js';

/** Of the time that an orderly end may take. */
const START_ENDS_WITHIN_MS = 5_000;
/** Without settings yet, or after a fault. */
const CLOSE_WITHIN_MS = 14_000;
/** Beside the calls that run, which may go on for DRAIN_SECONDS. */
const CLOSE_BESIDE_CALLS_MS = 6_000;
/** Several gateways end within that time each, and then what they share. */
const GROUP_CLOSES_BESIDE_CALLS_MS = 11_000;
const REQUESTS_END_WITHIN_MS = 10_000;

const UNREADABLE_SECRETS =
  'Stored secrets are encrypted with a key that SECRET_KEY does not hold: add the older key behind the new one';

/** What the steps of starting hand to each other. */
interface Start {
  readonly config: Config;
  readonly log: Logger;
  readonly shutdown: Shutdown;
}

async function start(shutdown: Shutdown): Promise<void> {
  const config = readConfig(process.env);
  const languageServers = languageModels(config);
  const gatewayId = randomUUID();
  const log = logOf(config, gatewayId);
  shutdown.log = log;
  shutdown.limitMs = config.DRAIN_SECONDS * 1_000 + CLOSE_BESIDE_CALLS_MS;
  const context: Start = { config, log, shutdown };
  if (config.GATEWAYS > 1) return startGroup(context);
  letHeapGrow();
  member?.tell({ type: 'starting', gatewayId });
  const metrics = new Metrics();
  shutdown.add('metrics', () => metrics.close());
  shutdown.add('worker losses', watchWorkers(metrics, log));
  const load = new LoadMonitor(log);
  const scheduler = new CpuScheduler(config.CPU_PERMITS, (...job) => {
    metrics.observePermit(...job);
    load.job(...job);
  });
  metrics.watchPermits(scheduler);

  const foundation = await openFoundation(context);
  const address: Address = { port: undefined };
  const services = await openServices(context, foundation, scheduler);
  const { served, models } = await openListing(context, languageServers);
  const agents = await new AgentsRepository(foundation.db).countWithoutModel();
  const line = { agents, model: models.defaultLlmModel };
  if (agents > 0) log.info(line, 'the default model answers for deployed agents without llm_model');
  const peers = createPeers({ ...foundation, gatewayId, log });
  shutdown.add('peers', () => peers.server.close());
  const parts = { ...foundation, ...services, gatewayId, peers, scheduler, models, address };
  const calls = await openLiveCalls(context, {
    ...parts,
    languageModels: () => served.models,
    load,
    observeFrame: metrics.observeFrame,
    metrics: new CallMetrics(metrics.registry),
  });
  metrics.watchSpeech(() => services.encoders.openStreams);
  const origin = () => httpOrigin(config, address.port);
  const shared = appParts(context, foundation);
  const telephony = openTelephony({
    ...parts,
    ...calls,
    config,
    log,
    origin,
    phones: new MediaConnector(calls),
    inboundCalls: services.webhooks.inboundCalls,
    limiter: shared.limiter,
  });
  const api = openApi({ ...parts, config, log, dictionaries: services.dictionaries, origin });
  const routes = [...api.routes, ...calls.routes, ...services.webhooks.routes, ...telephony.routes];
  const health = [...shared.health, ...calls.health];
  const { server, sockets } = makeServer(
    { ...shared, health, metrics, routes, roots: [...calls.roots, ...telephony.roots] },
    [calls.socket, ...api.sockets, ...telephony.sockets],
  );
  shutdown.add('telephony', () => telephony.close());
  await telephony.listen();
  address.port = await openServer(context, server, sockets);
  shutdown.add('calls', () => calls.close(shutdown.limitMs - CLOSE_BESIDE_CALLS_MS));
  if (member) member.tell({ type: 'ready' });
  else announce(context, address.port, foundation.firstKey);
}

/** Several gateways behind one port: what they share is here, they are processes of their own. */
async function startGroup(context: Start): Promise<void> {
  const { config, shutdown } = context;
  shutdown.limitMs = config.DRAIN_SECONDS * 1_000 + GROUP_CLOSES_BESIDE_CALLS_MS;
  const foundation = await openFoundation(context);
  await openGroup({ ...context, ...foundation });
  announce(context, foundation.port, foundation.firstKey);
}

/** In a group each line says whose it is. */
function logOf(config: Config, gatewayId: string): Logger {
  const log = makeLog(config.LOG_LEVEL);
  return member ? log.child({ gateway: gatewayId.slice(0, 8), pid: process.pid }) : log;
}

/** The database, the secrets and who may come in. */
async function openFoundation(context: Start) {
  const { config, shutdown } = context;
  await prepareDataDir(config.DATA_DIR);
  const onLost = (error: unknown) => void endWith(shutdown, error);
  const { db, databaseUrl } = await openDatabase({ ...context, onLost });
  const port = member ? config.PORT : await tryListening(config.HOST, config.PORT);
  const secrets = await loadSecretKeys(config.DATA_DIR, config.SECRET_KEY);
  const box = new SecretBox(secrets);
  const isReadable = (await findSealKeyIds(db)).every((id) => box.holds(id));
  if (!isReadable) context.log.error(UNREADABLE_SECRETS);
  const firstKey = await ensureFirstAccount({ db, dataDir: config.DATA_DIR, box });
  const keys = openKeys(config, db, secrets);
  return { db, databaseUrl, port, secrets, box, firstKey, keys };
}

type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** What speaks, knows and reports; calls are made of it. */
async function openServices(
  context: Start,
  { db, databaseUrl, box }: Foundation,
  scheduler: CpuScheduler,
) {
  const { config, log, shutdown } = context;
  const { MODELS_DIR: modelsDir, MODELS_CACHE: cacheDir } = config;
  const store = new ModelStore({ modelsDir, cacheDir });
  const speech = await openSpeech({ ...context, scheduler, store });
  const knowledge = await openKnowledge({ config, db, databaseUrl, scheduler, log, store });
  shutdown.add('knowledge', () => knowledge.close());
  shutdown.proceed();
  const dictionaries = openDictionaries({ config, db, scheduler, users: new AgentsRepository(db) });
  shutdown.add('dictionaries', () => dictionaries.close());
  const overrides = new VoiceOverrides({
    voices: new VoiceCatalog(MODEL_CATALOGUE, speech.voices),
    ownVoices: new VoicesRepository(db),
    dictionaries: dictionaries.compiled,
  });
  const allowedHosts = config.OUTBOUND_ALLOWED_HOSTS;
  const webhooks = openWebhooks({ db, box, log, overrides, allowedHosts });
  shutdown.add('webhooks', () => webhooks.close());
  await webhooks.start({ isAlone: config.DATABASE_URL === undefined });
  shutdown.proceed();
  return { ...speech, store, knowledge, dictionaries, overrides, webhooks };
}

/** What the HTTP side has beside its routes. */
function appParts({ config, log, shutdown }: Start, { db, box, keys }: Foundation) {
  return {
    log,
    keys,
    limiter: new RateLimiter(
      {
        requestsPerMinute: config.REQUESTS_PER_MINUTE,
        failedAuthsPerMinute: config.FAILED_AUTHS_PER_MINUTE,
      },
      db,
    ),
    idempotency: new IdempotencyService(new IdempotencyRepository(db), box),
    maxBodyBytes: config.MAX_BODY_BYTES,
    maxConnections: config.MAX_CONNECTIONS,
    health: ownHealthParts({ dataDir: config.DATA_DIR, db, isStopping: () => shutdown.isAsked }),
    trustProxy: config.TRUST_PROXY,
    publicUrl: config.PUBLIC_URL,
    metricsToken: config.METRICS_TOKEN,
  };
}

/** Where this gateway listens, once it does. */
interface Address {
  port: number | undefined;
}

interface CallNeeds extends Foundation, Awaited<ReturnType<typeof openServices>> {
  readonly gatewayId: string;
  readonly peers: Peers;
  readonly scheduler: CpuScheduler;
  readonly models: ModelCatalog;
  readonly languageModels: () => readonly ListedLanguageModel[];
  readonly load: LoadMonitor;
  readonly observeFrame: FrameObserver;
  readonly metrics: CallMetrics;
  readonly address: Address;
}

async function openLiveCalls({ config, log, shutdown }: Start, needs: CallNeeds) {
  const { store, scheduler, address, voices, knowledge, languageModels, models } = needs;
  const ears = await loadSttModels(store, scheduler, log);
  shutdown.add('ears', () => ears.close());
  shutdown.proceed();
  const tools = new AgentTools({ outbound: needs.webhooks.outbound, log });
  shutdown.add('tools', () => tools.close());
  return openCalls({
    ...needs,
    config,
    log,
    ears,
    replies: new LlmRegistry({
      languageModels,
      models,
      fallbacks: config.LLM_FALLBACKS,
      embedder: knowledge.embedder,
      knowledge: knowledge.search,
    }),
    tools,
    voices: new VoiceRegistry(voices),
    events: needs.webhooks.events,
    inboundCalls: needs.webhooks.inboundCalls,
    dictionaries: needs.dictionaries.compiled,
    origin: () => httpOrigin(config, address.port),
    socketOrigin: () => socketOrigin(config, address.port),
  });
}

/** Routes and sockets behind one port, or behind the port of the group. */
function makeServer(parts: AppParts & ServerLimits, socketRoutes: readonly SocketRoute[]) {
  const app = createApp(parts);
  const sockets = new WebSocketRouter(socketRoutes, {
    ...parts,
    addressOf: addressIn(app),
    handOn: member && ((...upgrade) => member.handOn(...upgrade)),
  });
  member?.onUpgrade(({ request, socket, head }) => sockets.take(request, socket, head));
  return { server: createLimitedServer(app, parts).on('upgrade', sockets.handle), sockets };
}

async function openServer(
  { config, log, shutdown }: Start,
  server: Server,
  sockets: WebSocketRouter,
): Promise<number> {
  const port = await listen(server, config.HOST, config.PORT);
  shutdown.add('server', () => stopListening(server, REQUESTS_END_WITHIN_MS));
  shutdown.add('sockets', () => sockets.close());
  shutdown.add('notice', () => log.info('stopping'));
  shutdown.proceed();
  return port;
}

function announce({ config, log }: Start, port: number, firstKey: string | undefined): void {
  const lines = announcementLines({
    url: config.PUBLIC_URL ?? `http://${hostInUrl(config.HOST)}:${port}`,
    keyFile: join(config.DATA_DIR, API_KEY_FILE),
    firstKey,
    isTerminal: process.stdout.isTTY,
  });
  for (const line of lines) console.log(line);
  if (!isLoopback(config.HOST) && config.PUBLIC_URL === undefined) {
    log.warn('PUBLIC_URL is not set: links for other machines cannot be made');
  }
}

async function endWith(shutdown: Shutdown, error: unknown): Promise<void> {
  const sentence = faultSentence(error);
  // Of several gateways one speaks.
  if (member) member.tell({ type: 'failed', sentence });
  else console.error(sentence);
  // Calls are not held by a gateway that is broken.
  shutdown.limitMs = Math.min(shutdown.limitMs, CLOSE_WITHIN_MS);
  await shutdown.run();
  process.exit(1);
}

const member = ClusterWorker.ofThisProcess();
const shutdown = new Shutdown(CLOSE_WITHIN_MS);
const starting = start(shutdown);

/** A second signal changes nothing: the first one's orderly end goes on. */
async function endInOrder(): Promise<void> {
  if (shutdown.isAsked) return;
  shutdown.ask();
  // What a start in progress is about to open must be closed too.
  await Promise.race([starting.catch(() => undefined), sleep(START_ENDS_WITHIN_MS)]);
  const isClean = await shutdown.run();
  process.exit(isClean ? 0 : 1);
}

process.on('SIGTERM', () => void endInOrder());
// Ctrl-C reaches all processes of a group, of which the first one tells the others when to end.
process.on('SIGINT', () => {
  if (!member) void endInOrder();
});
process.on('uncaughtException', (error) => {
  shutdown.log?.fatal({ err: error }, 'fault that nobody caught');
  void endWith(shutdown, new StartError('Parley met a fault of its own and stops: see the log.'));
});

try {
  await starting;
} catch (error) {
  if (!(error instanceof Overtaken)) await endWith(shutdown, error);
}
