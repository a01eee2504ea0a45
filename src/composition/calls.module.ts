import type { RequestHandler } from 'express';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { type FrameObserver, FrameTicker } from '../../agents-runtime/timing/frame-ticker.js';
import { systemClock } from '../../agents-runtime/timing/system-clock.js';
import { BridgePool } from '../../agents-runtime/transports/livekit/bridge-pool.js';
import type { EncoderThread } from '../../media/codec/encoder-thread.js';
import type { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import type { VoiceRegistry } from '../../media/tts/voice-registry.js';
import { CallSlots } from '../calls/admission/call-slots.js';
import { CreditMonitor } from '../calls/admission/credit-monitor.js';
import type { LoadMonitor } from '../calls/admission/load-monitor.js';
import { callArtifactRoutes } from '../calls/artifacts/call-artifacts.routes.js';
import { CallCommandsRepository } from '../calls/commands/call-commands.repository.js';
import { CallCommandService } from '../calls/commands/call-commands.service.js';
import { CallTokens } from '../calls/connection/call-tokens.js';
import { connectionRoutes } from '../calls/connection/connection.routes.js';
import { ConnectionService } from '../calls/connection/connection.service.js';
import { AgentLatencyRepository } from '../calls/dashboard/agent-latency.repository.js';
import { agentLatencyRoutes } from '../calls/dashboard/agent-latency.routes.js';
import { DashboardRepository } from '../calls/dashboard/dashboard.repository.js';
import { dashboardRoutes } from '../calls/dashboard/dashboard.routes.js';
import { CallCompletedEvents } from '../calls/history/call-completed-events.js';
import { CallHistoryRepository } from '../calls/history/call-history.repository.js';
import { callHistoryRoutes } from '../calls/history/call-history.routes.js';
import { SummariesRepository } from '../calls/history/summaries.repository.js';
import { SummaryService } from '../calls/history/summaries.service.js';
import { outboundRoutes } from '../calls/outbound/outbound-calls.routes.js';
import { OutboundCalls } from '../calls/outbound/outbound-calls.service.js';
import { createCallProviders } from '../calls/providers/call-providers.js';
import type { LlmRegistry } from '../calls/providers/llm-registry.js';
import type { SttModels } from '../calls/providers/stt-models.js';
import type { RecordingService } from '../calls/recordings/recordings.service.js';
import { ReplayFiles } from '../calls/recordings/replay-files.js';
import type { CallMetrics } from '../calls/session/call-metrics.js';
import { CallRegistry } from '../calls/session/call-registry.js';
import { CallSessionFactory } from '../calls/session/call-session.factory.js';
import { Heartbeat } from '../calls/session/heartbeat.js';
import type { HeldEvents } from '../calls/store/call-events.js';
import { CallsRepository } from '../calls/store/calls.repository.js';
import { liveKitAccess } from '../channels/livekit/livekit-credentials.js';
import { CallSockets } from '../channels/websocket/call-socket.route.js';
import type { Config } from '../config/config.js';
import type { AgentTools } from '../features/agent-tools/agent-tools.js';
import { AgentsRepository } from '../features/agents/agents.repository.js';
import { resolveCallConfig } from '../features/agents/effective-config.js';
import type { CompiledDictionaries } from '../features/dictionaries/compiled-dictionaries.js';
import type { ModelCatalog } from '../features/model-catalog/model-catalog.js';
import { NumberOwnership } from '../features/ownership/number-ownership.js';
import { CarrierRegistry } from '../features/phone-numbers/carrier-registry.js';
import { DialBlocklist } from '../features/phone-numbers/dial-blocklist.js';
import type { VoiceOverrides } from '../features/voices/voice-overrides.js';
import type { InboundCalls } from '../features/webhooks/inbound-call-webhook.js';
import type { Authenticator } from '../platform/http/authenticate.js';
import type { Route } from '../platform/http/route.js';
import { SignedLinks } from '../platform/http/signed-links.js';
import type { SocketRoute } from '../platform/http/websocket-router.js';
import type { HealthPart } from '../platform/observability/health.js';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import type { SecretKeys } from '../platform/secrets/secret-keys.js';
import { createObjectStore } from '../platform/storage/create-object-store.js';
import { openRecordings } from './call-artifacts.module.js';
import { createDialers } from './dialers.js';
import { openLiveKit } from './livekit.module.js';
import { openLive } from './monitoring.module.js';
import { openRetention } from './open-retention.js';
import type { Peers } from './peers.module.js';

export interface CallsParts {
  /** This gateway's own, new at each start. */
  readonly gatewayId: string;
  readonly config: Config;
  readonly db: Knex;
  readonly box: SecretBox;
  readonly secrets: SecretKeys;
  readonly keys: Authenticator;
  readonly peers: Peers;
  readonly log: Logger;
  readonly models: ModelCatalog;
  readonly replies: Pick<LlmRegistry, 'get' | 'fallbacksFor'>;
  readonly tools: Pick<AgentTools, 'open' | 'prefetch'>;
  readonly voices: VoiceRegistry;
  readonly ears: SttModels;
  /** For those who listen in. */
  readonly encoders: EncoderThread;
  readonly overrides: VoiceOverrides;
  /** Hears of what happens to calls. */
  readonly events: HeldEvents;
  /** Asked about calls that ring. */
  readonly inboundCalls: InboundCalls;
  /** How this gateway keeps up. */
  readonly load: LoadMonitor;
  /** Told how late frames go out. */
  readonly observeFrame: FrameObserver;
  readonly metrics: CallMetrics;
  /** Merges of recordings take them. */
  readonly scheduler: CpuScheduler;
  readonly dictionaries: CompiledDictionaries;
  /** `http(s)://host[:port]`; undefined where no absolute URL can be told. */
  readonly origin: () => string | undefined;
  /** The same with `ws(s)`. */
  readonly socketOrigin: () => string | undefined;
}

/** Everything about live calls, put together. */
export interface OpenCalls {
  readonly routes: readonly Route[];
  readonly socket: SocketRoute;
  readonly live: CallRegistry;
  /** For calls over other wires than the web's. */
  readonly opening: CallSessionFactory;
  readonly slots: CallSlots;
  readonly calls: CallsRepository;
  readonly commands: CallCommandService;
  readonly outbound: OutboundCalls;
  /** The pulse that all calls share. */
  readonly ticker: FrameTicker;
  readonly recordings: RecordingService;
  /** What calls need besides. */
  readonly health: readonly HealthPart[];
  /** What is served outside of the API's table. */
  readonly roots: readonly RequestHandler[];
  /** Lets running calls finish for so long, ends what is left, and signs the gateway off. */
  close(drainMs: number): Promise<void>;
}

/** Puts the calls of this gateway together; calls that a dead gateway left are ended first. */
export async function openCalls(parts: CallsParts): Promise<OpenCalls> {
  const { db, load } = parts;
  const agents = new AgentsRepository(db);
  const { links, calls, summaries } = openRecord(parts);
  const live = new CallRegistry();
  const written = new CallCommandsRepository(db);
  const pulse = await openPulse(parts, { calls, live, written });
  const remains = await openRemains(parts, calls);
  const { recordings, replays, retention } = remains;
  summaries.start();
  const { watched, ticker } = pulse;
  const opening = new CallSessionFactory({
    gatewayId: parts.gatewayId,
    agents,
    calls,
    live,
    models: createCallProviders(parts),
    ticker,
    metrics: parts.metrics,
    resolveConfig: (agent, overrides) => resolveCallConfig(agent, overrides, parts),
    recordings,
    replays,
    hub: watched.hub,
  });
  const slots = new CallSlots({ calls, live, load, expect: opening.expect });
  const doors = openDoors(parts, { agents, calls, live, opening, slots, written });
  const { liveKit, commands, outbound } = doors;
  return {
    routes: [
      ...connectionRoutes({ desk: doors.desk, tokens: doors.tokens, calls, keys: parts.keys }),
      ...watched.routes(commands, doors.refused),
      ...retention.routes,
      ...pastRoutes(db, agents),
      ...callArtifactRoutes({ calls, recordings, links, origin: parts.origin }),
      ...outboundRoutes({ agents, outbound }),
    ],
    socket: doors.sockets.route,
    live,
    opening,
    slots,
    calls,
    commands,
    outbound,
    ticker,
    recordings,
    health: liveKit ? [liveKit.health] : [],
    roots: liveKit ? [liveKit.webhooks] : [],
    async close(drainMs) {
      const drained = live.drain(drainMs);
      liveKit?.drain();
      await drained;
      await liveKit?.close();
      watched.close();
      await remains.close();
      pulse.stopWatching();
      await commands.close();
      await pulse.close();
      await summaries.close();
    },
  };
}

/** What is written of calls, and told of their end. */
function openRecord({ config, db, secrets, log, events, origin, replies }: CallsParts) {
  const links = new SignedLinks(secrets);
  const completed = new CallCompletedEvents({
    events,
    summaries: new SummariesRepository(db),
    links,
    origin,
  });
  const calls = new CallsRepository(db, config.CONCURRENT_CALLS, completed);
  const summaries = new SummaryService({ db, log, turns: calls.turns, replies, events: completed });
  return { links, calls, summaries };
}

/** Says that this gateway lives, ends what dead ones left, beats for calls, watches load and credits. */
async function openPulse(
  parts: CallsParts,
  { calls, live, written }: Pick<DoorNeeds, 'calls' | 'live' | 'written'>,
) {
  const { config, gatewayId, log, load, metrics, ears, peers } = parts;
  // Whoever is alone on an embedded database has no other gateway to be reached by.
  const isAlone = config.DATABASE_URL === undefined;
  const reachedAt = isAlone ? undefined : config.GATEWAY_ADDRESS;
  const watched = openLive({ ...parts, calls });
  const address = reachedAt === undefined ? undefined : await peers.server.listen(reachedAt);
  const heartbeat = new Heartbeat({
    calls,
    gateways: peers.gateways,
    gatewayId,
    address,
    commands: written,
    log,
  });
  await heartbeat.start({ isAlone });
  load.start(() => live.size);
  metrics.watchLoad(load);
  metrics.watchVoiceActivity(() => ears.voiceActivity.dropped);
  const creditMonitor = new CreditMonitor({ calls, gatewayId, live, log });
  creditMonitor.start();
  const ticker = new FrameTicker(
    systemClock,
    (lateMs) => {
      parts.observeFrame(lateMs);
      load.frame(lateMs);
    },
    (error) => log.error({ err: error }, 'fault in the frame ticker'),
  );
  return {
    watched,
    ticker,
    stopWatching() {
      void creditMonitor.close();
      load.stop();
    },
    /** Signs the gateway off. */
    close: () => heartbeat.stop(),
  };
}

/** What remains of calls: their sound, files for replay, and for how long. */
async function openRemains(parts: CallsParts, calls: CallsRepository) {
  const { config, db, log } = parts;
  const replays = config.REPLAY_DIR ? await ReplayFiles.in(config.REPLAY_DIR, log) : undefined;
  if (replays && config.DEEPGRAM_API_KEY !== undefined) {
    log.warn('REPLAY_DIR is set: calls with a replay file are heard without Deepgram');
  }
  const recordings = await openRecordings({
    ...parts,
    calls,
    store: await createObjectStore(config),
  });
  recordings.start();
  const retention = openRetention({ db, log, recordings, replays });
  retention.job.start();
  return {
    recordings,
    replays,
    retention,
    async close() {
      await retention.job.close();
      await recordings.close();
      await replays?.close();
    },
  };
}

interface DoorNeeds {
  readonly agents: AgentsRepository;
  readonly calls: CallsRepository;
  readonly live: CallRegistry;
  readonly opening: CallSessionFactory;
  readonly slots: CallSlots;
  /** Commands for calls that other gateways hold. */
  readonly written: CallCommandsRepository;
}

/** The ways into calls and out of them. */
function openDoors(parts: CallsParts, needs: DoorNeeds) {
  const { config, db, gatewayId, log, load, overrides, socketOrigin } = parts;
  const { agents, calls, live, opening, slots, written } = needs;
  const tokens = new CallTokens(parts.secrets);
  const sockets = new CallSockets({ gatewayId, calls, tokens, live, opening });
  const access = liveKitAccess(config);
  const rooms = access && new BridgePool({ log });
  const inbound = parts.inboundCalls;
  const numbers = new NumberOwnership(db);
  const liveKit = rooms && openLiveKit({ ...needs, access, rooms, load, inbound, numbers, log });
  const commands = new CallCommandService({
    db,
    gatewayId,
    calls,
    commands: written,
    live,
    log,
    onWaitingEnded: (callId) => {
      outbound
        .stop(callId)
        .catch((error: unknown) => log.warn({ err: error, callId }, 'a call may ring on'));
    },
  });
  const desk = new ConnectionService({
    agents,
    calls,
    tokens,
    slots,
    rooms: liveKit?.door,
    commands,
    overrides,
    socketOrigin,
  });
  const refused = new DialBlocklist(config.OUTBOUND_REFUSED_NUMBERS);
  const outbound = new OutboundCalls({
    calls,
    slots,
    commands,
    overrides,
    carriers: new CarrierRegistry(config),
    dialers: createDialers(config, parts.origin),
    refused,
    numbers,
  });
  commands.start();
  return { tokens, sockets, liveKit, commands, desk, refused, outbound };
}

/** What is told of calls that are over. */
function pastRoutes(db: Knex, agents: AgentsRepository): readonly Route[] {
  return [
    ...callHistoryRoutes(new CallHistoryRepository(db)),
    ...agentLatencyRoutes({ latencies: new AgentLatencyRepository(db), agents }),
    ...dashboardRoutes(new DashboardRepository(db)),
  ];
}
