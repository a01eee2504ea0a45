import type { RequestHandler } from 'express';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { AgentConfig } from '../../agents-runtime/contract/agent-config.js';
import { type FrameObserver, FrameTicker } from '../../agents-runtime/timing/frame-ticker.js';
import { systemClock } from '../../agents-runtime/timing/system-clock.js';
import { BridgePool } from '../../agents-runtime/transports/livekit/bridge-pool.js';
import type { EncoderThread } from '../../media/codec/encoder-thread.js';
import type { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import type { VoiceRegistry } from '../../media/tts/voice-registry.js';
import { type Agent, AgentsRepository } from '../agents/agents.repository.js';
import { effectiveConfig } from '../agents/effective-config.js';
import type { Config } from '../config.js';
import type { CompiledDictionaries } from '../dictionaries/compiled-dictionaries.js';
import type { HealthPart } from '../health.js';
import type { KeyDirectory } from '../http/authenticate.js';
import type { Route } from '../http/route.js';
import { SignedLinks } from '../http/signed-links.js';
import type { SocketRoute } from '../http/upgrade.js';
import { openLive } from '../live/open-live.js';
import { liveKitAccess } from '../livekit/livekit-access.js';
import { openLiveKit } from '../livekit/open-livekit.js';
import type { ModelListing } from '../models-listing/model-listing.js';
import { Carriers } from '../numbers/carriers.js';
import { NumberOwnership } from '../numbers/number-ownership.js';
import { openRecordings } from '../recordings/open-recordings.js';
import type { Recordings } from '../recordings/recordings.js';
import { ReplayFiles } from '../replay/replay-files.js';
import { openRetention } from '../retention/open-retention.js';
import type { SecretBox } from '../secrets/secret-box.js';
import type { SecretKeys } from '../secrets/secret-keys.js';
import { openStore } from '../storage/open-store.js';
import { openDiallers } from '../telephony/diallers.js';
import type { AgentTools } from '../tools/agent-tools.js';
import type { InboundCalls } from '../webhooks/inbound-calls.js';
import { AgentLatencyRepository } from './agent-latency.repository.js';
import { agentLatencyRoutes } from './agent-latency.routes.js';
import { CallCommands } from './call-commands.js';
import { CallCommandsRepository } from './call-commands.repository.js';
import { CallDesk } from './call-desk.js';
import type { HeldEvents } from './call-events.js';
import { CallHistoryRepository } from './call-history.repository.js';
import { callHistoryRoutes } from './call-history.routes.js';
import type { CallMetrics } from './call-metrics.js';
import { callModels } from './call-models.js';
import { CallOpening } from './call-opening.js';
import { CallSlots } from './call-slots.js';
import { CallSockets } from './call-sockets.js';
import { CallTokens } from './call-tokens.js';
import { CallsRepository } from './calls.repository.js';
import { callRoutes } from './calls.routes.js';
import { CompletedCalls } from './completed-calls.js';
import { CreditWatch } from './credit-watch.js';
import { DashboardRepository } from './dashboard.repository.js';
import { dashboardRoutes } from './dashboard.routes.js';
import type { Ears } from './ears.js';
import { Heartbeat } from './heartbeat.js';
import { LiveCalls } from './live-calls.js';
import type { LoadWatch } from './load-watch.js';
import { outboundRoutes } from './outbound.routes.js';
import { OutboundCalls } from './outbound-calls.js';
import { recordRoutes } from './records.routes.js';
import { RefusedNumbers } from './refused-numbers.js';
import type { ReplyModels } from './reply-models.js';
import { Summaries } from './summaries.js';
import { SummariesRepository } from './summaries.repository.js';
import type { VoiceOverrides } from './voice-overrides.js';

export interface CallsParts {
  /** This gateway's own, new at each start. */
  readonly gatewayId: string;
  readonly config: Config;
  readonly db: Knex;
  readonly box: SecretBox;
  readonly secrets: SecretKeys;
  readonly keys: KeyDirectory;
  readonly log: Logger;
  readonly models: ModelListing;
  readonly replies: Pick<ReplyModels, 'get' | 'fallbacksFor'>;
  readonly tools: Pick<AgentTools, 'open' | 'expect'>;
  readonly voices: VoiceRegistry;
  readonly ears: Ears;
  /** For those who listen in. */
  readonly encoders: EncoderThread;
  readonly overrides: VoiceOverrides;
  /** Hears of what happens to calls. */
  readonly events: HeldEvents;
  /** Asked about calls that ring. */
  readonly inboundCalls: InboundCalls;
  /** How this gateway keeps up. */
  readonly load: LoadWatch;
  /** Told how late frames go out. */
  readonly observeFrame: FrameObserver;
  readonly metrics: CallMetrics;
  /** Merges of recordings take them. */
  readonly permits: CpuScheduler;
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
  readonly live: LiveCalls;
  /** For calls over other wires than the web's. */
  readonly opening: CallOpening;
  readonly slots: CallSlots;
  readonly calls: CallsRepository;
  readonly commands: CallCommands;
  readonly outbound: OutboundCalls;
  /** The pulse that all calls share. */
  readonly ticker: FrameTicker;
  readonly recordings: Recordings;
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
  const live = new LiveCalls();
  const written = new CallCommandsRepository(db);
  const pulse = await openPulse(parts, { calls, live, written });
  const remains = await openRemains(parts, calls);
  const { recordings, replays, retention } = remains;
  summaries.start();
  const { watched, ticker } = pulse;
  const opening = new CallOpening({
    gatewayId: parts.gatewayId,
    agents,
    calls,
    live,
    models: callModels(parts),
    ticker,
    metrics: parts.metrics,
    configOf: (agent) => configOf(agent, parts),
    recordings,
    replays,
    hub: watched.hub,
  });
  const slots = new CallSlots({ calls, live, load, expect: opening.expect });
  const doors = openDoors(parts, { agents, calls, live, opening, slots, written });
  const { liveKit, commands, outbound } = doors;
  return {
    routes: [
      ...callRoutes({ desk: doors.desk, tokens: doors.tokens, calls, keys: parts.keys }),
      ...watched.routes(commands, doors.refused),
      ...retention.routes,
      ...pastRoutes(db, agents),
      ...recordRoutes({ calls, recordings, links, origin: parts.origin }),
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
      await watched.close();
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
  const completed = new CompletedCalls({
    events,
    summaries: new SummariesRepository(db),
    links,
    origin,
  });
  const calls = new CallsRepository(db, config.CONCURRENT_CALLS, completed);
  const summaries = new Summaries({ db, log, turns: calls.turns, replies, events: completed });
  return { links, calls, summaries };
}

/** Says that this gateway lives, ends what dead ones left, beats for calls, watches load and credits. */
async function openPulse(
  parts: CallsParts,
  { calls, live, written }: Pick<DoorNeeds, 'calls' | 'live' | 'written'>,
) {
  const { config, gatewayId, log, load, metrics, ears } = parts;
  // Whoever is alone on an embedded database has no other gateway to be reached by.
  const isAlone = config.DATABASE_URL === undefined;
  const reachedAt = isAlone ? undefined : config.GATEWAY_ADDRESS;
  const watched = openLive({ ...parts, calls, address: reachedAt });
  const address = await watched.start();
  const heartbeat = new Heartbeat({ calls, gatewayId, address, commands: written, log });
  await heartbeat.start({ isAlone });
  load.start(() => live.size);
  metrics.watchLoad(load);
  metrics.watchVoiceActivity(() => ears.voiceActivity.dropped);
  const creditWatch = new CreditWatch({ calls, gatewayId, live, log });
  creditWatch.start();
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
      creditWatch.stop();
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
  const recordings = await openRecordings({ ...parts, calls, store: await openStore(config) });
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
  readonly live: LiveCalls;
  readonly opening: CallOpening;
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
  const commands = new CallCommands({
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
  const desk = new CallDesk({
    agents,
    calls,
    tokens,
    slots,
    rooms: liveKit?.door,
    commands,
    overrides,
    socketOrigin,
  });
  const refused = new RefusedNumbers(config.OUTBOUND_REFUSED_NUMBERS);
  const outbound = new OutboundCalls({
    calls,
    slots,
    commands,
    overrides,
    carriers: new Carriers(config),
    diallers: openDiallers(config, parts.origin),
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

/** The stored config as calls use it. */
function configOf(agent: Agent, { models, box }: CallsParts): AgentConfig {
  return effectiveConfig(agent, { models, box });
}
