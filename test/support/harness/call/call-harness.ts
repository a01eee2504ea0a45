import type { AgentConfig } from '../../../../agents-runtime/contract/agent-config.js';
import type { CallLog, LoggedTurn } from '../../../../agents-runtime/contract/call-log.js';
import type { Clock } from '../../../../agents-runtime/contract/clock.js';
import type { EndedReason } from '../../../../agents-runtime/contract/ended-reason.js';
import type {
  LanguageModel,
  LlmRequest,
  ReplyToken,
} from '../../../../agents-runtime/contract/language-model.js';
import type { Tools } from '../../../../agents-runtime/contract/tools.js';
import type { CallInput } from '../../../../agents-runtime/contract/transport.js';
import { SpeechCache } from '../../../../agents-runtime/output/speech-cache.js';
import { Call } from '../../../../agents-runtime/session/call.js';
import type { CallDependencies } from '../../../../agents-runtime/session/call-dependencies.js';
import { FrameTicker } from '../../../../agents-runtime/timing/frame-ticker.js';
import type { SpeechToText, StreamingSpeechToText } from '../../../../media/stt/speech-to-text.js';
import type {
  SpeechChunk,
  SynthesisRequest,
  TextToSpeech,
} from '../../../../media/tts/text-to-speech.js';
import type { VoiceActivity } from '../../../../media/vad/voice-activity.js';
import { VirtualClient, VOICE_RATE } from '../../fakes/virtual-client.js';
import { VirtualClock } from '../audio/virtual-clock.js';

const RATE = 16_000;

export const CONFIG: AgentConfig = {
  prompt: 'You are helpful.',
  greeting: '',
  llmModel: 'script',
  llmTemperature: 0.7,
  ttsMinSentenceLength: 20,
  voice: {
    voiceId: null,
    language: 'en',
    temperature: 1,
    topP: 0.8,
    dictionaryId: null,
    dictionaryVersion: null,
  },
  minSilenceMs: 550,
  minSpeechMs: 100,
  minEndpointingMs: 500,
  maxEndpointingMs: 3000,
  vadActivationThreshold: 0.6,
  userSilenceTimeoutMs: 10_000,
  maxCallDurationMs: 900_000,
  allowInterruptions: true,
  allowInterruptionsOnGreeting: false,
  minInterruptionWords: 1,
  autoNoiseReduction: false,
  allowAgentToEndCall: false,
  allowAgentToSkipTurn: false,
  recordingEnabled: false,
  tools: [],
  mcpServers: [],
  knowledgeBaseId: null,
};

/** The text of one stretch of speech, with its position in ms of the caller's audio. */
interface Said {
  readonly fromMs: number;
  readonly toMs: number;
  readonly text: string;
}

export interface HarnessOptions {
  readonly config?: Partial<AgentConfig>;
  /** The LLM's answer to a request, token by token. */
  readonly reply?: (request: LlmRequest) => AsyncGenerator<ReplyToken>;
  /** Answers of the fallback LLMs. */
  readonly fallbackReplies?: readonly ((request: LlmRequest) => AsyncGenerator<ReplyToken>)[];
  readonly tools?: Tools;
  /** Probability that a turn with this text is complete. */
  readonly completeness?: (text: string) => number;
  /** Network delay in each direction, in milliseconds. */
  readonly networkDelayMs?: number;
  readonly transcriptMs?: number;
  readonly voiceMs?: number;
  /** The value of the voice's n-th sample in the call, from 1. Default: n / 1e7. */
  readonly sampleAt?: (n: number) => number;
  /** Whether the transport can pause. If not, the buffer is cleared and the audio sent again. */
  readonly canPause?: boolean;
  readonly recogniserFails?: boolean;
  /** Number of words after which the voice fails; undefined: it does not fail. */
  readonly voiceFailsAfter?: (text: string) => number | undefined;
  /** Texts for which the voice returns no audio and no error. */
  readonly voiceIsMute?: (text: string) => boolean;
  /** Texts for which the voice returns no audio and never ends. */
  readonly voiceHangs?: (text: string) => boolean;
  /** Lets all promises settle after each timer, as Node does. */
  readonly settlesPromises?: boolean;
  /**
   * The clock of the caller and the network; `engineClock` is the engine's view. Default: the same
   * clock.
   */
  readonly clock?: VirtualClock;
  readonly engineClock?: Clock;
  /** Creates the call. Default: `new Call`. */
  readonly begin?: (parts: CallDependencies) => CallInput;
  readonly streaming?: (clock: VirtualClock) => StreamingSpeechToText;
  /** The language that speech recognition detects in a text. */
  readonly languageOf?: (text: string) => string | undefined;
  /** Languages with a voice, for calls with language detection. */
  readonly languages?: readonly string[];
  /** Adds a fallback voice that does not fail. */
  readonly hasFallbackVoice?: boolean;
}

/** A complete call with scripted models on a virtual clock. */
export function harness(options: HarnessOptions = {}) {
  const clock = options.clock ?? new VirtualClock();
  const engineClock = options.engineClock ?? clock;
  const transport = new VirtualClient(clock, options.networkDelayMs, options.canPause);
  const said: Said[] = [];
  const turns = new Map<number, LoggedTurn>();
  const faults: string[] = [];
  const record: string[] = [];
  const requests: LlmRequest[] = [];
  const spokenBy: string[] = [];
  let ended: EndedReason | undefined;

  const callLog: CallLog = {
    // Slower than the following turns, as with several database connections.
    started: async () => {
      await sleep(engineClock, 50);
      record.push('started');
    },
    turn: async (turn) => void turns.set(turn.index, turn),
    ended: async () => void record.push('ended'),
  };
  const textUpTo = (samples: number) =>
    said.filter(({ fromMs }) => (samples * 1000) / RATE > fromMs).map(({ text }) => text);
  const begin = options.begin ?? ((parts: CallDependencies) => new Call(parts));
  const call = begin({
    config: { ...CONFIG, ...options.config },
    transport,
    clock: engineClock,
    ticker: new FrameTicker(engineClock),
    voiceActivity: amplitudeVad(),
    turnDetector: {
      completeness: async () => {
        await sleep(engineClock, 40);
        return options.completeness?.(said.at(-1)?.text ?? '') ?? 1;
      },
    },
    speechToText: scriptedRecogniser(engineClock, options),
    streamingSpeechToText: options.streaming?.(clock),
    languageModel: scriptedModel(engineClock, options, requests),
    fallbackModels: (options.fallbackReplies ?? []).map((reply, i) => ({
      ...scriptedModel(engineClock, { reply }, requests),
      id: `fallback ${i + 1}`,
    })),
    voice: scriptedVoice(engineClock, options),
    findVoice:
      options.languages &&
      ((language) =>
        options.languages?.includes(language)
          ? recordUse(scriptedVoice(engineClock, {}), language, spokenBy)
          : undefined),
    fallbackVoices: options.hasFallbackVoice
      ? [{ ...scriptedVoice(engineClock, {}), id: 'fallback voice' }]
      : [],
    tools: options.tools,
    speechCache: new SpeechCache(engineClock),
    callLog,
    onFault: (part, error) => faults.push(`${part}: ${String(error)}`),
    onEnded: (reason) => {
      ended = reason;
    },
  });
  transport.onPlayed = (ms) => call.played(ms);
  let sentMs = 0;
  const run = (ms: number) => (options.settlesPromises ? clock.runSettled(ms) : clock.run(ms));

  /** Feeds `ms` of the caller's audio by the clock: speech if `text` is given. */
  const microphone = async (ms: number, text?: string) => {
    if (text !== undefined) said.push({ fromMs: sentMs, toMs: sentMs + ms, text });
    for (let passed = 0; passed < ms; passed += 20) {
      const frame = new Int16Array((RATE * 20) / 1000);
      if (text !== undefined) frame.fill(encodeText(text));
      call.audio(frame);
      sentMs += 20;
      await run(20);
    }
  };
  return {
    clock,
    call,
    transport,
    turns,
    faults,
    record,
    requests,
    said,
    spokenBy,
    textUpTo,
    ended: () => ended,
    silence: (ms: number) => microphone(ms),
    say: (text: string, ms: number) => microphone(ms, text),
    cough: (ms: number) => microphone(ms, ''),
    /** Disconnects the transport for `ms`. */
    disconnect: async (ms: number) => {
      transport.isDisconnected = true;
      call.lost();
      await run(ms);
      transport.isDisconnected = false;
      call.regained(transport.receivedMs, (fromMs) => transport.skipTo(fromMs));
    },
    control: () => transport.control.map((line) => line.split(' ')[1]),
    states: () =>
      transport.events.flatMap((event) => (event.type === 'state' ? [event.state] : [])),
    /** The newest text of each segment, as a client displays it. */
    shown: () => {
      const segments = new Map<string, string>();
      for (const event of transport.events) {
        if (event.type !== 'transcript') continue;
        segments.delete(event.segment);
        if (event.text) segments.set(event.segment, `${event.role}: ${event.text}`);
      }
      return [...segments.values()];
    },
    /** Displayed segments without a final text. */
    openSegments: () => {
      const all = transport.events.filter((event) => event.type === 'transcript');
      const newest = new Map(all.map(({ segment, final }) => [segment, final]));
      return [...newest.keys()].filter((segment) => !newest.get(segment));
    },
    providers: (role: 'user' | 'agent') =>
      [...turns.values()].filter((turn) => turn.role === role).map(({ providers }) => providers),
    texts: (role: 'user' | 'agent') =>
      [...turns.values()].filter((turn) => turn.role === role).map(({ text }) => text),
  };
}

const texts: string[] = [];

/** Encodes the text in the sample values, so that the scripted recogniser can decode it. */
function encodeText(text: string): number {
  if (!texts.includes(text)) texts.push(text);
  return 1000 + texts.indexOf(text);
}

function amplitudeVad(): VoiceActivity {
  return {
    open: (onWindow) => ({
      push: (window) => onWindow(window.some((sample) => sample > 0.01) ? 0.95 : 0.02),
      close: () => undefined,
    }),
  };
}

/** The texts encoded in the samples, in order. */
export function textsIn(samples: Float32Array): string {
  const found: string[] = [];
  for (const sample of samples) {
    const value = Math.round(sample * 32768);
    if (value < 1000) continue;
    const text = texts[value - 1000]!;
    if (found.at(-1) !== text) found.push(text);
  }
  return found.filter(Boolean).join(' ');
}

function scriptedRecogniser(
  clock: Clock,
  { transcriptMs = 80, recogniserFails, languageOf }: HarnessOptions,
): SpeechToText {
  return {
    id: 'script',
    languages: ['en'],
    async transcribe(samples, { signal }) {
      await sleep(clock, transcriptMs);
      if (recogniserFails) throw new Error('the recogniser died');
      if (signal?.aborted) throw new Error('aborted');
      const text = textsIn(samples);
      const language = languageOf?.(text);
      return { text, ...(language !== undefined && { language }), providerId: 'script' };
    },
  };
}

function scriptedModel(
  clock: Clock,
  options: HarnessOptions,
  requests: LlmRequest[],
): LanguageModel {
  return {
    id: 'script',
    generate(request) {
      requests.push(request);
      return options.reply?.(request) ?? echo(clock, request);
    },
  };
}

async function* echo(clock: Clock, { history }: LlmRequest): AsyncGenerator<string> {
  await sleep(clock, 100);
  yield `You said ${history.at(-1)?.text}.`;
}

/** Records which voice speaks which text in which language. */
function recordUse(voice: TextToSpeech, name: string, spokenBy: string[]): TextToSpeech {
  return {
    ...voice,
    languages: [name],
    speak(utterance, options) {
      spokenBy.push(`${name} in ${utterance.language}: ${utterance.text}`);
      return voice.speak(utterance, options);
    },
  };
}

/**
 * 100 ms of audio per word. Sample values count up, so that a test detects lost and repeated
 * samples.
 */
function scriptedVoice(clock: Clock, options: HarnessOptions): TextToSpeech {
  const {
    voiceMs = 20,
    sampleAt = (n) => n / 1e7,
    voiceFailsAfter,
    voiceIsMute,
    voiceHangs,
  } = options;
  let spoken = 0;
  return {
    id: 'script',
    languages: ['en'],
    sampleRate: VOICE_RATE,
    warm: async () => undefined,
    close: async () => undefined,
    async *speak({ text }: SynthesisRequest, { signal }): AsyncGenerator<SpeechChunk> {
      await sleep(clock, voiceMs);
      if (voiceHangs?.(text)) await new Promise<never>(() => undefined);
      if (voiceIsMute?.(text)) return;
      const failsAfter = voiceFailsAfter?.(text);
      const words = [...text.matchAll(/\S+/g)].map((match, index) => ({
        textStart: match.index,
        textEnd: match.index + match[0].length,
        startSample: index * 2400,
        endSample: (index + 1) * 2400,
      }));
      for (let index = 0; index < words.length; index++) {
        if (signal.aborted) throw new Error('aborted');
        if (index === failsAfter) throw new Error('the voice died');
        const samples = Float32Array.from({ length: 2400 }, () => sampleAt(++spoken));
        yield { samples, words: index === 0 ? words : [] };
      }
    },
  };
}

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}
