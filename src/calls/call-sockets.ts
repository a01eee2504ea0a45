import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { RawData, WebSocket } from 'ws';
import type { AgentConfig } from '../../agents-runtime/agent/agent-config.js';
import type { VoiceFor } from '../../agents-runtime/agent/call-language.js';
import type { Greetings } from '../../agents-runtime/agent/greetings.js';
import type { ReplyModel } from '../../agents-runtime/agent/reply-model.js';
import { mannerOf } from '../../agents-runtime/agent/speech.js';
import type { FrameTicker } from '../../agents-runtime/audio/frame-ticker.js';
import type { LiveRecogniser } from '../../agents-runtime/audio/live-recogniser.js';
import { Call } from '../../agents-runtime/call/call.js';
import type { CallParts } from '../../agents-runtime/call/call-parts.js';
import type { CallTransport } from '../../agents-runtime/call/transport.js';
import { systemClock } from '../../agents-runtime/clock.js';
import { CallError } from '../../agents-runtime/errors.js';
import { CallRecorder } from '../../agents-runtime/recording/call-recorder.js';
import { recordCall } from '../../agents-runtime/replay/recorded-call.js';
import { CallSocket, CLOSE } from '../../agents-runtime/transports/websocket/connection.js';
import {
  type Hello,
  MAX_FRAME,
  parseClientMessage,
  TOKEN_SUBPROTOCOL,
} from '../../agents-runtime/transports/websocket/protocol.js';
import type { Recogniser } from '../../media/inference/recogniser.js';
import type { Dictionary } from '../../media/tts/dictionary/dictionary.js';
import type { VoiceModel } from '../../media/tts/voice-model.js';
import type { Agent, AgentsRepository } from '../agents/agents.repository.js';
import type { Newcomer, SocketCall, SocketRoute } from '../http/upgrade.js';
import type { LiveHub } from '../live/live-hub.js';
import { toRunning } from '../live/running-calls.repository.js';
import { watchedInput, watchedParts } from '../live/watched-call.js';
import type { Recordings } from '../recordings/recordings.js';
import type { ReplayFiles } from '../replay/replay-files.js';
import type { OpenTools } from '../tools/agent-tools.js';
import type { ToolCaller } from '../tools/webhook-tools.js';
import { configForCall } from './call-config.js';
import { CALL_SOCKET_PATH } from './call-desk.js';
import { isCallId } from './call-id.js';
import type { CallMetrics } from './call-metrics.js';
import { CallRecord } from './call-record.js';
import type { CallTokens } from './call-tokens.js';
import type { CallRow, CallsRepository } from './calls.repository.js';
import type { CallOptions } from './calls.schema.js';
import { LiveCalls } from './live-calls.js';

const DRAINING = 'this gateway is about to stop: ask for another call';
/** What comes along with `hello` and waits for the call to begin, bytes. */
const MOST_EARLY = 64 * 1024;
/** A socket that has not said hello by then is closed. */
const HELLO_MS = 5_000;

/** The models with which calls are held. */
export interface CallModels
  extends Pick<CallParts, 'voiceActivity' | 'noiseReduction' | 'turnModel'> {
  readonly greetings: Greetings;
  recogniserFor(config: AgentConfig): Recogniser;
  /** Hears while the caller speaks. */
  liveRecogniserFor(config: AgentConfig): LiveRecogniser | undefined;
  voiceFor(config: AgentConfig): VoiceModel;
  /** Speak on when the voice fails. */
  fallbackVoicesFor(config: AgentConfig, voice: VoiceModel): readonly VoiceModel[];
  /** Who speaks which language, for an agent whose language is found out. */
  voicesFor(config: AgentConfig): VoiceFor | undefined;
  replyModelFor(config: AgentConfig): ReplyModel;
  /** Stand in for it, in this order. */
  fallbackModelsFor(config: AgentConfig): readonly ReplyModel[];
  /** A call is about to come that has the agent's tools. */
  expectTools(config: AgentConfig, agentId: string): void;
  /** What the agent may do besides talking; closed with the call. */
  toolsFor(config: AgentConfig, caller: ToolCaller): Promise<OpenTools | undefined>;
  /** Undefined where the agent has none, or has one that is gone: then it speaks without. */
  dictionaryFor(accountId: string, config: AgentConfig): Promise<Dictionary | undefined>;
}

/** What one call has of its own. */
interface OwnParts extends Pick<CallParts, 'config' | 'dictionary'> {
  readonly tools: OpenTools | undefined;
}

export interface CallSocketsParts {
  readonly gatewayId: string;
  readonly agents: AgentsRepository;
  readonly calls: CallsRepository;
  readonly tokens: CallTokens;
  readonly live: LiveCalls;
  readonly models: CallModels;
  readonly ticker: FrameTicker;
  readonly metrics: Pick<CallMetrics, 'begin'>;
  /** The stored config as calls use it, secrets opened. */
  readonly configOf: (agent: Agent) => AgentConfig;
  readonly recordings: Pick<Recordings, 'begin'>;
  /** Where calls are recorded for replay, if they are. */
  readonly replays: ReplayFiles | undefined;
  /** Told what is said, for who watches. */
  readonly hub: LiveHub;
}

/** Opens the sockets of calls: a client joins with its token or takes up a call whose socket broke. */
export class CallSockets {
  readonly #parts: CallSocketsParts;

  constructor(parts: CallSocketsParts) {
    this.#parts = parts;
  }

  get route(): SocketRoute {
    return {
      path: CALL_SOCKET_PATH,
      scope: 'any',
      authenticate: (_request, url) => this.#whoseCall(url),
      maxMessageBytes: MAX_FRAME,
      open: (socket, call) => this.#open(socket, call),
    };
  }

  /** A call of this agent is about to come: what it needs first is made ready. */
  readonly expect = async (agent: Agent, options: CallOptions): Promise<void> => {
    const { models, configOf } = this.#parts;
    const config = configForCall(configOf(agent), options);
    const voice = models.voiceFor(config);
    const dictionary = await models.dictionaryFor(agent.accountId, config);
    const manner = { ...mannerOf(config, voice, voice.sampleRate), dictionary };
    models.greetings.prepare(config.greeting, manner);
    models.replyModelFor(config).prepare?.(config.prompt, manner.language);
    models.expectTools(config, agent.id);
  };

  /** The token may come in the first message; whose account it is, the path tells already. */
  async #whoseCall(url: URL): Promise<Newcomer> {
    const callId = callIdIn(url);
    const row = isCallId(callId) ? await this.#parts.calls.find(callId) : undefined;
    const isStranger = row === undefined;
    const isElsewhere = row?.state === 'live' && row.gateway_id !== this.#parts.gatewayId;
    const heldBy = isElsewhere ? (row.gateway_id ?? undefined) : undefined;
    return { accountId: row?.account_id ?? '', keyId: null, scopes: ['*'], isStranger, heldBy };
  }

  #open(socket: WebSocket, { request, url, log }: SocketCall): void {
    const callId = callIdIn(url);
    const limit = setTimeout(() => socket.close(CLOSE.refused, 'hello did not come'), HELLO_MS);
    socket.once('close', () => clearTimeout(limit));
    socket.once('message', (data: RawData, isBinary: boolean) => {
      clearTimeout(limit);
      const letThrough = holdBack(socket);
      this.#welcome(socket, callId, request, { data, isBinary }, log)
        .then(letThrough)
        .catch((error: unknown) => {
          log.error({ err: error, callId }, 'call could not begin');
          socket.close(CLOSE.internal, 'the call could not begin');
        });
    });
  }

  async #welcome(
    socket: WebSocket,
    callId: string,
    request: IncomingMessage,
    first: { data: RawData; isBinary: boolean },
    log: Logger,
  ): Promise<void> {
    const hello = readHello(first);
    if (typeof hello === 'string') {
      socket.close(CLOSE.invalid, hello.slice(0, 100));
      return;
    }
    if (hello.resumeToken !== undefined) {
      const live = this.#parts.live.findByResumeToken(hello.resumeToken);
      if (live) live.socket.resume(socket, hello);
      else socket.close(CLOSE.refused, 'this call cannot be taken up again');
      return;
    }
    const token = hello.token ?? tokenOf(request) ?? '';
    if ((await this.#parts.tokens.verify(token, 'join')) !== callId) {
      socket.close(CLOSE.refused, 'the token is wrong or has expired');
      return;
    }
    await this.#join(socket, callId, hello, log);
  }

  async #join(socket: WebSocket, callId: string, hello: Hello, log: Logger): Promise<void> {
    const { calls, agents, live, gatewayId } = this.#parts;
    const row = live.isDraining ? undefined : await calls.take(callId, gatewayId);
    if (row === undefined || typeof row === 'string') {
      const why = live.isDraining ? DRAINING : 'this token has been used, or its call has ended';
      socket.close(CLOSE.refused, row ?? why);
      return;
    }
    const agent = await agents.find(row.account_id, row.agent_id);
    if (!agent) {
      await calls.end(callId, 'error_transport');
      socket.close(CLOSE.refused, 'no such agent');
      return;
    }
    try {
      const config = configForCall(this.#parts.configOf(agent), row.options);
      const { models } = this.#parts;
      const dictionary = await models.dictionaryFor(row.account_id, config);
      const tools = await models.toolsFor(config, { agentId: agent.id, callId });
      if (socket.readyState !== socket.OPEN) {
        tools?.close();
        await calls.end(callId, 'error_transport');
        return;
      }
      try {
        this.#start(socket, row, { config, dictionary, tools }, hello, log.child({ callId }));
      } catch (error) {
        tools?.close();
        throw error;
      }
    } catch (error) {
      // Its slot must not stay taken by a call that never was.
      await calls.end(callId, 'error_transport');
      throw error;
    }
  }

  #start(
    socket: WebSocket,
    row: CallRow,
    { config, dictionary, tools }: OwnParts,
    hello: Hello,
    log: Logger,
  ): void {
    const { calls, live, models, ticker, metrics } = this.#parts;
    const callId = row.call_id;
    const voice = models.voiceFor(config);
    const resumeToken = LiveCalls.makeResumeToken(callId);
    const wire = new CallSocket({
      clock: systemClock,
      callId,
      resumeToken,
      sampleRate: voice.sampleRate,
      audio: hello.audio,
    });
    let onEnded: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      onEnded = resolve;
    });
    const observed = metrics.begin();
    const recorder = config.recordingEnabled ? this.#record(callId, wire) : undefined;
    const tape = config.recordingEnabled ? this.#parts.replays?.begin(callId) : undefined;
    const parts: CallParts = {
      config,
      transport: recorder ?? wire,
      clock: systemClock,
      ticker,
      voiceActivity: models.voiceActivity,
      noiseReduction: models.noiseReduction,
      turnModel: models.turnModel,
      recogniser: models.recogniserFor(config),
      liveRecogniser: models.liveRecogniserFor(config),
      greetings: models.greetings,
      replyModel: models.replyModelFor(config),
      fallbackModels: models.fallbackModelsFor(config),
      tools: tools?.tools,
      voice,
      fallbackVoices: models.fallbackVoicesFor(config, voice),
      voiceFor: models.voicesFor(config),
      dictionary,
      log: new CallRecord(calls, callId),
      observer: observed,
      onFault: (part, error) => {
        observed.fault(part);
        log.warn({ err: error, part }, 'fault in a call');
      },
      onEnded: (reason) => {
        live.remove(callId);
        tools?.close();
        observed.ended(reason);
        log.info({ reason }, 'call ended');
        onEnded();
      },
    };
    const began = { ...toRunning(row), started_at: new Date().toISOString() };
    const feed = this.#parts.hub.begin(row.account_id, began);
    const watched = watchedParts(parts, feed);
    const plain = tape ? recordCall(watched, tape) : new Call(watched);
    const call = watchedInput(recorder?.input(plain) ?? plain, feed);
    live.add(callId, {
      call,
      socket: wire,
      resumeToken,
      end: (reason) => {
        call.hangUp(reason);
        return ended;
      },
    });
    log.info('call began');
    wire.start(call, socket);
  }

  #record(callId: string, transport: CallTransport): CallRecorder {
    const sink = this.#parts.recordings.begin(callId, transport.sampleRate);
    return new CallRecorder({ transport, clock: systemClock, sink });
  }
}

/** Keeps what a socket says until the returned function lets it through to who listens then. */
function holdBack(socket: WebSocket): () => void {
  const early: (readonly [RawData, boolean])[] = [];
  let bytes = 0;
  const keep = (data: RawData, isBinary: boolean) => {
    bytes += (data as Buffer).length;
    if (bytes > MOST_EARLY) socket.close(CLOSE.refused, 'too much came before ready');
    else early.push([data, isBinary]);
  };
  socket.on('message', keep);
  return () => {
    socket.off('message', keep);
    if (socket.readyState !== socket.OPEN) return;
    for (const [data, isBinary] of early) socket.emit('message', data, isBinary);
  };
}

/** The path may end in a slash. */
function callIdIn({ pathname }: URL): string {
  return pathname.replace(/\/$/, '').split('/').at(-2) ?? '';
}

function readHello({ data, isBinary }: { data: RawData; isBinary: boolean }): Hello | string {
  if (isBinary) return 'hello comes before audio';
  try {
    const message = parseClientMessage(data.toString());
    return message.type === 'hello' ? message : 'the first message is hello';
  } catch (error) {
    if (error instanceof CallError) return error.message;
    throw error;
  }
}

/** A token that came as a subprotocol, which no log of URLs holds. */
function tokenOf(request: IncomingMessage): string | undefined {
  const offered = request.headers['sec-websocket-protocol']?.split(',') ?? [];
  return offered
    .map((protocol) => protocol.trim())
    .find((protocol) => protocol.startsWith(TOKEN_SUBPROTOCOL))
    ?.slice(TOKEN_SUBPROTOCOL.length);
}
