import type { Logger } from 'pino';
import type { AgentConfig } from '../../../agents-runtime/contract/agent-config.js';
import type { CallObserver } from '../../../agents-runtime/contract/call-observer.js';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import type { CallFault } from '../../../agents-runtime/contract/errors.js';
import { CallError } from '../../../agents-runtime/contract/errors.js';
import type { FindVoice } from '../../../agents-runtime/contract/find-voice.js';
import type { LanguageModel } from '../../../agents-runtime/contract/language-model.js';
import type { CallInput, Transport } from '../../../agents-runtime/contract/transport.js';
import { CallRecorder } from '../../../agents-runtime/observers/recording/call-recorder.js';
import { ReplayRecorder } from '../../../agents-runtime/observers/replay/replay-recorder.js';
import type { SpeechCache } from '../../../agents-runtime/output/speech-cache.js';
import { ttsSettingsOf } from '../../../agents-runtime/output/tts-pipeline.js';
import { Call } from '../../../agents-runtime/session/call.js';
import type { CallDependencies } from '../../../agents-runtime/session/call-dependencies.js';
import { FaultBoundary } from '../../../agents-runtime/timing/fault-boundary.js';
import type { FrameTicker } from '../../../agents-runtime/timing/frame-ticker.js';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import type { SpeechToText, StreamingSpeechToText } from '../../../media/stt/speech-to-text.js';
import type { Dictionary } from '../../../media/text/dictionary/dictionary.js';
import type { TextToSpeech } from '../../../media/tts/text-to-speech.js';
import type { CallTools } from '../../features/agent-tools/agent-tools.js';
import type { ToolCaller } from '../../features/agent-tools/webhook-tool.js';
import type { Agent } from '../../features/agents/agent.model.js';
import type { AgentsRepository } from '../../features/agents/agents.repository.js';
import type { ResolveCallConfig } from '../../features/agents/effective-config.js';
import { AudioMixer } from '../monitoring/audio-mixer.js';
import { watchCall } from '../monitoring/call-tap.js';
import type { LiveEventBus } from '../monitoring/live-event-bus.js';
import { toRunning } from '../monitoring/running-calls.repository.js';
import type { RecordingService } from '../recordings/recordings.service.js';
import type { ReplayFiles } from '../recordings/replay-files.js';
import type { CallOptions, CallRow } from '../store/call.model.js';
import type { CallRefusal, CallsRepository } from '../store/calls.repository.js';
import type { CallMetrics } from './call-metrics.js';
import type { CallRegistry, LiveCall } from './call-registry.js';
import { PersistentCallLog } from './persistent-call-log.js';

/** The models with which calls are held. */
export interface CallProviders
  extends Pick<CallDependencies, 'voiceActivity' | 'noiseReduction' | 'turnDetector'> {
  readonly speechCache: SpeechCache;
  recogniserFor(config: AgentConfig): SpeechToText;
  /** Hears while the caller speaks. */
  liveRecogniserFor(config: AgentConfig): StreamingSpeechToText | undefined;
  voiceFor(config: AgentConfig): TextToSpeech;
  /** Speak on when the voice fails. */
  fallbackVoicesFor(config: AgentConfig, voice: TextToSpeech): readonly TextToSpeech[];
  /** Who speaks which language, for an agent whose language is found out. */
  voicesFor(config: AgentConfig): FindVoice | undefined;
  replyModelFor(config: AgentConfig): LanguageModel;
  /** Stand in for it, in this order. */
  fallbackModelsFor(config: AgentConfig): readonly LanguageModel[];
  /** A call is about to come that has the agent's tools. */
  expectTools(config: AgentConfig, agentId: string): void;
  /** What the agent may do besides talking; closed with the call. */
  toolsFor(config: AgentConfig, caller: ToolCaller): Promise<CallTools | undefined>;
  /** Undefined where the agent has none, or has one that is gone: then it speaks without. */
  dictionaryFor(accountId: string, config: AgentConfig): Promise<Dictionary | undefined>;
}

export interface CallSessionFactoryParts {
  readonly gatewayId: string;
  readonly agents: Pick<AgentsRepository, 'find'>;
  readonly calls: CallsRepository;
  readonly live: CallRegistry;
  readonly models: CallProviders;
  readonly ticker: FrameTicker;
  readonly metrics: Pick<CallMetrics, 'begin'>;
  readonly resolveConfig: ResolveCallConfig;
  readonly recordings: Pick<RecordingService, 'begin'>;
  /** Where calls are recorded for replay, if they are. */
  readonly replays: ReplayFiles | undefined;
  /** Told what is said, for who watches. */
  readonly hub: LiveEventBus;
}

/** Why a reserved call cannot begin here; `gone`: it has begun, or ended, or never was. */
export type TakeRefusal = CallRefusal | 'draining' | 'gone' | 'no_agent' | 'agent_not_deployed';

/** What one call has of its own. */
interface OwnParts extends Pick<CallDependencies, 'config' | 'dictionary' | 'voice'> {
  readonly tools: CallTools | undefined;
  /** Told once, when the call has begun or will not. */
  readonly opened: () => void;
}

/** What begins a call beside its wire. */
export interface Beginning {
  readonly log: Logger;
  /** For wires of which the client may take up its call again. */
  readonly resumable?: LiveCall['resumable'];
  /** For wires that are telephone lines. */
  readonly phone?: LiveCall['phone'];
  /** Told once, when the call is over and its record is written. */
  readonly onEnded?: (reason: EndedReason) => void;
}

/** A transport that has not been started; it reports to `call` from `start` on. */
export type StartTransport = (call: CallInput) => void;

/** Begins calls, whatever wire they come over: first a call is taken, then its wire is given to it. */
export class CallSessionFactory {
  readonly #parts: CallSessionFactoryParts;

  constructor(parts: CallSessionFactoryParts) {
    this.#parts = parts;
  }

  /**
   * A call of this agent is about to come: what it needs first is made ready.
   * @param sampleRate Hz of the agent's audio on its wire; by default the voice's.
   */
  readonly expect = async (
    agent: Agent,
    options: CallOptions,
    sampleRate?: number,
  ): Promise<void> => {
    const { models, resolveConfig } = this.#parts;
    const config = resolveConfig(agent, options);
    const voice = models.voiceFor(config);
    const dictionary = await models.dictionaryFor(agent.accountId, config);
    const manner = { ...ttsSettingsOf(config, voice, sampleRate ?? voice.sampleRate), dictionary };
    models.speechCache.preload(config.greeting, manner);
    models.replyModelFor(config).warm?.(config.prompt, manner.language);
    models.expectTools(config, agent.id);
  };

  /**
   * Takes a reserved call, once among all gateways. Whoever has it begins it or drops it.
   * @param mustBeDeployed the agent may not have been paused meanwhile.
   */
  async take(callId: string, { mustBeDeployed = false } = {}): Promise<TakenCall | TakeRefusal> {
    const opened = this.#parts.live.open();
    if (!opened) return 'draining';
    let taken: TakenCall | TakeRefusal | undefined;
    try {
      taken = await this.#take(callId, mustBeDeployed, opened);
      return taken;
    } finally {
      if (!(taken instanceof TakenCall)) opened();
    }
  }

  async #take(
    callId: string,
    mustBeDeployed: boolean,
    opened: () => void,
  ): Promise<TakenCall | TakeRefusal> {
    const { calls, agents, gatewayId, models, resolveConfig } = this.#parts;
    const row = await calls.take(callId, gatewayId);
    if (row === undefined) return 'gone';
    if (typeof row === 'string') return row;
    try {
      const agent = await agents.find(row.account_id, row.agent_id);
      if (!agent || (mustBeDeployed && agent.status !== 'deployed')) {
        await calls.end(callId, 'error_transport');
        return agent ? 'agent_not_deployed' : 'no_agent';
      }
      const config = resolveConfig(agent, row.options);
      const dictionary = await models.dictionaryFor(row.account_id, config);
      const voice = models.voiceFor(config);
      const tools = await models.toolsFor(config, {
        accountId: row.account_id,
        agentId: agent.id,
        callId,
      });
      return new TakenCall(this.#parts, row, { config, dictionary, voice, tools, opened });
    } catch (error) {
      // Its slot must not stay taken by a call that never was.
      await calls.end(callId, 'error_transport');
      throw error;
    }
  }
}

/** A call that this gateway has and that waits for its wire. */
export class TakenCall {
  readonly row: CallRow;
  readonly #parts: CallSessionFactoryParts;
  readonly #own: OwnParts;

  constructor(parts: CallSessionFactoryParts, row: CallRow, own: OwnParts) {
    this.#parts = parts;
    this.row = row;
    this.#own = own;
  }

  /** Hz of the agent's voice. */
  get voiceRate(): number {
    return this.#own.voice.sampleRate;
  }

  /** Nobody came, or it could not begin: the call ends. */
  async drop(): Promise<void> {
    this.#own.tools?.close();
    try {
      await this.#parts.calls.end(this.row.call_id, 'error_transport');
    } finally {
      this.#own.opened();
    }
  }

  /**
   * Joins call and transport, and starts the transport, which reports to the call from then on. When
   * that throws, everything that was opened for the call is closed again; the call is left to `drop`.
   */
  begin(transport: Transport, beginning: Beginning, start: StartTransport): void {
    const { live } = this.#parts;
    if (live.isClosed) throw new CallError('CLOSED', 'this gateway is stopping');
    const { log, resumable, phone } = beginning;
    let resolve: () => void = () => undefined;
    const ended = new Promise<void>((over) => {
      resolve = over;
    });
    const call = this.#open(transport, beginning, resolve);
    const end = (reason: EndedReason) => {
      call.hangUp(reason);
      return ended;
    };
    const callId = this.row.call_id;
    live.add(callId, { call, end, ...(resumable && { resumable }), ...(phone && { phone }) });
    try {
      start(call);
    } catch (error) {
      call.hangUp('error_transport');
      throw error;
    }
    this.#own.opened();
    log.info('call began');
  }

  /** Creates the call. @param over - called when its record is written */
  #open(transport: Transport, { log, onEnded }: Beginning, over: () => void): CallInput {
    const { live, replays } = this.#parts;
    const { config, tools } = this.#own;
    const callId = this.row.call_id;
    const models = this.#modelParts();
    const onFault: CallFault = (part, error) => log.warn({ err: error, part }, 'fault in a call');
    const observers = this.#observers(transport, onFault);
    try {
      if (config.recordingEnabled) {
        const sink = this.#parts.recordings.begin(callId, transport.sampleRate);
        const { sampleRate, callerDelayMs } = transport;
        observers.push(new CallRecorder({ sampleRate, callerDelayMs, sink }));
      }
      const parts: CallDependencies = {
        ...models,
        clock: systemClock,
        transport,
        onFault,
        onEnded: (reason) => {
          live.remove(callId);
          tools?.close();
          log.info({ reason }, 'call ended');
          over();
          onEnded?.(reason);
        },
      };
      if (!replays || !config.recordingEnabled) return new Call({ ...parts, observers });
      observers.push(new ReplayRecorder(parts, replays.begin(callId)));
      // Its results are not in a replay file, so it is not used.
      return new Call({ ...parts, observers, streamingSpeechToText: undefined });
    } catch (error) {
      for (const observer of observers) observer.ended?.('error_transport');
      throw error;
    }
  }

  /** Metrics and monitoring. */
  #observers(transport: Transport, onFault: CallFault): CallObserver[] {
    const { metrics, hub } = this.#parts;
    const feed = hub.begin(this.row.account_id, {
      ...toRunning(this.row),
      started_at: new Date().toISOString(),
    });
    const boundary = new FaultBoundary({
      report: (error) => onFault('observer', error),
      end: () => undefined,
    });
    const sound = new AudioMixer(transport.sampleRate, boundary.clock(systemClock));
    return [metrics.begin(), watchCall(feed, sound)];
  }

  #modelParts(): Omit<CallDependencies, 'clock' | 'transport' | 'onFault' | 'onEnded'> {
    const { calls, models, ticker } = this.#parts;
    const { config, voice, dictionary, tools } = this.#own;
    return {
      config,
      ticker,
      voiceActivity: models.voiceActivity,
      noiseReduction: models.noiseReduction,
      turnDetector: models.turnDetector,
      speechToText: models.recogniserFor(config),
      streamingSpeechToText: models.liveRecogniserFor(config),
      speechCache: models.speechCache,
      languageModel: models.replyModelFor(config),
      fallbackModels: models.fallbackModelsFor(config),
      tools: tools?.tools,
      voice,
      fallbackVoices: models.fallbackVoicesFor(config, voice),
      findVoice: models.voicesFor(config),
      dictionary,
      log: new PersistentCallLog({
        calls,
        callId: this.row.call_id,
        isStopping: () => this.#parts.live.isDraining,
      }),
    };
  }
}
