import type { Logger } from 'pino';
import type { AgentConfig } from '../../../agents-runtime/contract/agent-config.js';
import type { CallObserver } from '../../../agents-runtime/contract/call-observer.js';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import { CallError } from '../../../agents-runtime/contract/errors.js';
import type { FindVoice } from '../../../agents-runtime/contract/find-voice.js';
import type { LanguageModel } from '../../../agents-runtime/contract/language-model.js';
import type { CallInput, Transport } from '../../../agents-runtime/contract/transport.js';
import type { SpeechCache } from '../../../agents-runtime/output/speech-cache.js';
import { Call } from '../../../agents-runtime/session/call.js';
import type { CallDependencies } from '../../../agents-runtime/session/call-dependencies.js';
import type { FrameTicker } from '../../../agents-runtime/timing/frame-ticker.js';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import type { SpeechToText, StreamingSpeechToText } from '../../../media/stt/speech-to-text.js';
import type { Dictionary } from '../../../media/text/dictionary/dictionary.js';
import type { TextToSpeech } from '../../../media/tts/text-to-speech.js';
import type { CallTools } from '../../features/agent-tools/agent-tools.js';
import type { ToolContext } from '../../features/agent-tools/webhook-tool.js';
import type { CallRow } from '../store/call.model.js';
import type { CallTurnsRepository } from '../store/call-turns.repository.js';
import type { CallsRepository } from '../store/calls.repository.js';
import type { CallRegistry, LiveCall } from './call-registry.js';
import { PersistentCallLog } from './persistent-call-log.js';

/** Chooses the models, tools and dictionaries of calls by the agent's configuration. */
export interface CallProviders
  extends Pick<CallDependencies, 'voiceActivity' | 'noiseReduction' | 'turnDetector'> {
  readonly speechCache: SpeechCache;
  speechToTextFor(config: AgentConfig): SpeechToText;
  /** Transcribes while the caller speaks. */
  streamingSpeechToTextFor(config: AgentConfig): StreamingSpeechToText | undefined;
  voiceFor(config: AgentConfig): TextToSpeech;
  /** Used in this order when the voice fails. */
  fallbackVoicesFor(config: AgentConfig, voice: TextToSpeech): readonly TextToSpeech[];
  /** The voice of each language, for an agent that detects the language. */
  findVoiceFor(config: AgentConfig): FindVoice | undefined;
  languageModelFor(config: AgentConfig): LanguageModel;
  /** Used in this order when the language model fails. */
  fallbackModelsFor(config: AgentConfig): readonly LanguageModel[];
  /** Connects to the agent's tools before its next call. */
  prefetchTools(config: AgentConfig, agentId: string): void;
  /** Closed with the call. */
  toolsFor(config: AgentConfig, toolContext: ToolContext): Promise<CallTools | undefined>;
  /** Undefined if the agent names no dictionary, or a deleted one. */
  dictionaryFor(accountId: string, config: AgentConfig): Promise<Dictionary | undefined>;
}

/** A call whose observers are created. */
interface ObservedCall {
  readonly row: CallRow;
  readonly dependencies: Omit<CallDependencies, 'observers'>;
}

/** Creates an observer of one call; undefined if it does not observe this call. */
export type CreateObserver = (call: ObservedCall) => CallObserver | undefined;

export interface CallSessionParts {
  readonly calls: CallsRepository;
  readonly turns: CallTurnsRepository;
  readonly registry: CallRegistry;
  readonly providers: CallProviders;
  readonly ticker: FrameTicker;
  readonly observers: readonly CreateObserver[];
}

/** The parts that belong to one call only. */
interface PerCallParts extends Pick<CallDependencies, 'config' | 'dictionary' | 'voice'> {
  readonly tools: CallTools | undefined;
  /** Reports that the call has started, or will not start. Idempotent. */
  readonly onSettled: () => void;
}

export interface StartOptions {
  readonly log: Logger;
  /** For transports whose client may resume the call. */
  readonly resumable?: LiveCall['resumable'];
  /** For telephone calls. */
  readonly phone?: LiveCall['phone'];
  /** Called once, when the call is over and its record is written. */
  readonly onEnded?: (reason: EndedReason) => void;
}

/** Starts a transport, which reports to the call from then on. */
export type StartTransport = (call: CallInput) => void;

/** A call that this gateway has claimed. Its owner starts it with a transport, or cancels it. */
export class CallSession {
  readonly row: CallRow;
  readonly #parts: CallSessionParts;
  readonly #perCall: PerCallParts;

  constructor(parts: CallSessionParts, row: CallRow, perCall: PerCallParts) {
    this.#parts = parts;
    this.row = row;
    this.#perCall = perCall;
  }

  /** Sample rate of the agent's voice, Hz. */
  get voiceSampleRate(): number {
    return this.#perCall.voice.sampleRate;
  }

  /** Ends a call that does not start. */
  async cancel(): Promise<void> {
    this.#perCall.tools?.close();
    try {
      await this.#parts.calls.end(this.row.call_id, 'error_transport');
    } finally {
      this.#perCall.onSettled();
    }
  }

  /**
   * Connects the call with its transport and starts the transport. If that throws, everything that was
   * opened for the call is closed again, and the owner must call `cancel`.
   */
  start(transport: Transport, options: StartOptions, startTransport: StartTransport): void {
    const { registry } = this.#parts;
    if (registry.isClosed) throw new CallError('CLOSED', 'This gateway is stopping');
    const { log, resumable, phone } = options;
    let onRecorded: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      onRecorded = resolve;
    });
    const call = this.#createCall(transport, options, onRecorded);
    const end = (reason: EndedReason) => {
      call.hangUp(reason);
      return ended;
    };
    const callId = this.row.call_id;
    registry.add(callId, { call, end, ...(resumable && { resumable }), ...(phone && { phone }) });
    try {
      startTransport(call);
    } catch (error) {
      call.hangUp('error_transport');
      throw error;
    }
    this.#perCall.onSettled();
    log.info('The call began');
  }

  /** @param onRecorded - called when the call's record is written */
  #createCall(transport: Transport, options: StartOptions, onRecorded: () => void): CallInput {
    const { log, onEnded } = options;
    const dependencies: ObservedCall['dependencies'] = {
      ...this.#providerDependencies(),
      clock: systemClock,
      transport,
      onFault: (part, error) => log.warn({ err: error, part }, 'Fault in a call'),
      onEnded: (reason) => {
        this.#parts.registry.remove(this.row.call_id);
        this.#perCall.tools?.close();
        log.info({ reason }, 'The call ended');
        onRecorded();
        onEnded?.(reason);
      },
    };
    const observers: CallObserver[] = [];
    try {
      for (const createObserver of this.#parts.observers) {
        const observer = createObserver({ row: this.row, dependencies });
        if (observer) observers.push(observer);
      }
      return new Call({ ...dependencies, observers });
    } catch (error) {
      for (const observer of observers) observer.ended?.('error_transport');
      throw error;
    }
  }

  #providerDependencies(): Omit<CallDependencies, 'clock' | 'transport' | 'onFault' | 'onEnded'> {
    const { calls, turns, registry, providers, ticker } = this.#parts;
    const { config, voice, dictionary, tools } = this.#perCall;
    return {
      config,
      ticker,
      voiceActivity: providers.voiceActivity,
      noiseReduction: providers.noiseReduction,
      turnDetector: providers.turnDetector,
      speechToText: providers.speechToTextFor(config),
      streamingSpeechToText: providers.streamingSpeechToTextFor(config),
      speechCache: providers.speechCache,
      languageModel: providers.languageModelFor(config),
      fallbackModels: providers.fallbackModelsFor(config),
      tools: tools?.tools,
      voice,
      fallbackVoices: providers.fallbackVoicesFor(config, voice),
      findVoice: providers.findVoiceFor(config),
      dictionary,
      callLog: new PersistentCallLog({
        calls,
        turns,
        callId: this.row.call_id,
        isStopping: () => registry.isDraining,
      }),
    };
  }
}
