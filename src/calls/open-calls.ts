import type { RequestHandler } from 'express';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { VoiceSettings } from '../../agents-runtime/agent/agent-config.js';
import type { VoiceFor } from '../../agents-runtime/agent/call-language.js';
import { Greetings } from '../../agents-runtime/agent/greetings.js';
import { type FrameObserver, FrameTicker } from '../../agents-runtime/audio/frame-ticker.js';
import { systemClock } from '../../agents-runtime/clock.js';
import { openRooms } from '../../agents-runtime/transports/livekit/bridge-pool.js';
import { hiddenSettings } from '../../agents-runtime/turn/hidden-settings.js';
import { MediaError } from '../../media/errors.js';
import type { CpuPermits } from '../../media/inference/cpu-permits.js';
import type { EncoderThread } from '../../media/inference/encoder-thread.js';
import { LANGUAGES } from '../../media/languages.js';
import type { Dictionary } from '../../media/tts/dictionary/dictionary.js';
import type { VoiceModel } from '../../media/tts/voice-model.js';
import type { VoiceShelf } from '../../media/tts/voice-shelf.js';
import { AgentsRepository } from '../agents/agents.repository.js';
import { effectiveConfig } from '../agents/effective-config.js';
import type { Config } from '../config.js';
import type { CompiledDictionaries } from '../dictionaries/compiled-dictionaries.js';
import { ApiError } from '../errors.js';
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
import { CallRecognisers } from './remote-ears.js';
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
  readonly voices: VoiceShelf;
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
  readonly permits: CpuPermits;
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
  const { config, db, box, secrets, log, models, voices, ears, replies, gatewayId } = parts;
  const agents = new AgentsRepository(db);
  const links = new SignedLinks(secrets);
  const events = new CompletedCalls({
    events: parts.events,
    summaries: new SummariesRepository(db),
    links,
    origin: parts.origin,
  });
  const calls = new CallsRepository(db, config.CONCURRENT_CALLS, events);
  const summaries = new Summaries({ db, log, turns: calls.turns, replies, events });
  const tokens = new CallTokens(secrets);
  const live = new LiveCalls();
  const written = new CallCommandsRepository(db);
  // Whoever is alone on an embedded database has no other gateway to be reached by.
  const address = config.DATABASE_URL === undefined ? undefined : config.GATEWAY_ADDRESS;
  const watched = openLive({ ...parts, address });
  const heartbeat = new Heartbeat({
    calls,
    gatewayId,
    address: await watched.start(),
    commands: written,
    log,
  });
  await heartbeat.start({ isAlone: config.DATABASE_URL === undefined });
  parts.load.start(() => live.size);
  parts.metrics.watchLoad(parts.load);
  parts.metrics.watchVoiceActivity(() => ears.voiceActivity.dropped);
  const creditWatch = new CreditWatch({ calls, gatewayId, live, log });
  creditWatch.start();
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
  commands.start();
  const replays = config.REPLAY_DIR ? await ReplayFiles.in(config.REPLAY_DIR, log) : undefined;
  if (replays && config.DEEPGRAM_API_KEY !== undefined) {
    log.warn('REPLAY_DIR is set: calls with a replay file are heard without Deepgram');
  }
  const recordings = await openRecordings({
    ...parts,
    calls,
    store: await openStore(config),
  });
  recordings.start();
  const retention = openRetention({ db, log, recordings, replays });
  retention.job.start();
  summaries.start();
  const recognisers = new CallRecognisers(ears.recogniser, config, log);
  const ticker = new FrameTicker(systemClock, (lateMs) => {
    parts.observeFrame(lateMs);
    parts.load.frame(lateMs);
  });
  const opening = new CallOpening({
    gatewayId,
    agents,
    calls,
    live,
    models: {
      ...ears,
      greetings: new Greetings(),
      recogniserFor: ({ voice }) => recognisers.recogniserFor(voice.language),
      liveRecogniserFor: ({ voice }) => recognisers.liveFor(voice.language),
      fallbackVoicesFor: (agent, voice) => fallbackVoices(voices, agent.voice, voice),
      voiceFor: ({ voice }) => voiceFor(voices, voice),
      voicesFor: ({ voice }) => voicesFor(voices, voice),
      replyModelFor: (agent) => replies.get(agent.llmModel),
      fallbackModelsFor: (agent) => replies.fallbacksFor(agent.llmModel),
      expectTools: (agent, agentId) => parts.tools.expect(agent, agentId),
      toolsFor: (agent, caller) => parts.tools.open(agent, caller),
      dictionaryFor: (accountId, { voice }) => dictionaryFor(parts.dictionaries, accountId, voice),
    },
    ticker,
    metrics: parts.metrics,
    configOf: (agent) => {
      const loaded = effectiveConfig(agent, { models, box });
      for (const hidden of hiddenSettings(loaded)) {
        log.info({ agent: agent.id, ...hidden }, 'a setting of the agent is hidden by another');
      }
      return loaded;
    },
    recordings,
    replays,
    hub: watched.hub,
  });
  const sockets = new CallSockets({ gatewayId, calls, tokens, live, opening });
  const slots = new CallSlots({ calls, live, load: parts.load, expect: opening.expect });
  const access = liveKitAccess(config);
  const liveKit =
    access &&
    openLiveKit({
      access,
      rooms: openRooms({ log }),
      opening,
      slots,
      calls,
      agents,
      live,
      load: parts.load,
      inbound: parts.inboundCalls,
      log,
    });
  const desk = new CallDesk({
    agents,
    calls,
    tokens,
    slots,
    rooms: liveKit?.door,
    commands,
    overrides: parts.overrides,
    socketOrigin: parts.socketOrigin,
  });
  const refused = new RefusedNumbers(config.OUTBOUND_REFUSED_NUMBERS);
  const outbound = new OutboundCalls({
    calls,
    slots,
    commands,
    overrides: parts.overrides,
    carriers: new Carriers(config),
    diallers: openDiallers(config, parts.origin),
    refused,
  });
  return {
    routes: [
      ...callRoutes({ desk, tokens, calls, keys: parts.keys }),
      ...watched.routes(commands, refused),
      ...retention.routes,
      ...callHistoryRoutes(new CallHistoryRepository(db)),
      ...agentLatencyRoutes({
        latencies: new AgentLatencyRepository(db),
        agents,
      }),
      ...dashboardRoutes(new DashboardRepository(db)),
      ...recordRoutes({
        calls,
        recordings,
        links,
        origin: parts.origin,
      }),
      ...outboundRoutes({ agents, outbound }),
    ],
    socket: sockets.route,
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
      await retention.job.close();
      await recordings.close();
      await replays?.close();
      creditWatch.stop();
      parts.load.stop();
      await commands.close();
      await heartbeat.stop();
      await summaries.close();
    },
  };
}

/** The agent's voice; where it is not installed any more, its language's, and English at worst. */
function voiceFor(voices: VoiceShelf, { voiceId, language }: VoiceSettings): VoiceModel {
  const own = voiceId === null ? undefined : voices.find(voiceId);
  const spoken = language === 'auto' ? 'en' : language;
  const voice = own ?? voices.defaultFor(spoken) ?? voices.defaultFor('en');
  if (!voice) throw new MediaError('MODEL_MISSING', 'No voice is installed');
  return voice;
}

/** The agent's own voice for what it speaks, and each other language's default one. */
function voicesFor(voices: VoiceShelf, { voiceId, language }: VoiceSettings): VoiceFor | undefined {
  if (language !== 'auto') return undefined;
  const own = voiceId === null ? undefined : voices.find(voiceId);
  return (wanted) => (own?.languages.includes(wanted) ? own : voices.defaultFor(wanted));
}

/** For each language that the call may be in, another voice that speaks it. */
function fallbackVoices(
  voices: VoiceShelf,
  { language }: VoiceSettings,
  own: VoiceModel,
): readonly VoiceModel[] {
  const spoken = language === 'auto' ? LANGUAGES : [language];
  const others = spoken.flatMap((each) => voices.anotherFor(each, own) ?? []);
  return [...new Set(others)];
}

/** The agent's dictionary; one that was deleted, or was never there, keeps no agent from speaking. */
async function dictionaryFor(
  dictionaries: CompiledDictionaries,
  accountId: string,
  { dictionaryId, dictionaryVersion }: VoiceSettings,
): Promise<Dictionary | undefined> {
  if (dictionaryId === null) return undefined;
  try {
    return await dictionaries.find(accountId, dictionaryId, dictionaryVersion);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
