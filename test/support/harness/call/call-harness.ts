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
import { PlayingClient, VOICE_RATE } from '../../fakes/virtual-client.js';
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

/** What one stretch of the caller's speech says, in ms of audio. */
interface Said {
  readonly fromMs: number;
  readonly toMs: number;
  readonly text: string;
}

export interface HarnessOptions {
  readonly config?: Partial<AgentConfig>;
  /** The model's answer to the newest user text, token by token with a pause before each. */
  readonly reply?: (request: LlmRequest) => AsyncGenerator<ReplyToken>;
  /** Of models that are asked when the first does not answer. */
  readonly fallbackReplies?: readonly ((request: LlmRequest) => AsyncGenerator<ReplyToken>)[];
  readonly tools?: Tools;
  /** Probability that a turn which ends with this text is complete. */
  readonly completeness?: (text: string) => number;
  /** How long anything is on the wire, each way. */
  readonly wayMs?: number;
  readonly transcriptMs?: number;
  readonly voiceMs?: number;
  /** The value of the voice's nth sample since the call began, from 1; by default n / 1e7. */
  readonly sampleAt?: (n: number) => number;
  /** The wire can pause; else it is cleared and sent again. */
  readonly canPause?: boolean;
  readonly recogniserFails?: boolean;
  /** Words of a piece after which the voice fails; undefined: it does not. */
  readonly voiceFailsAfter?: (text: string) => number | undefined;
  /** Texts of which the voice gives no sound, and no fault. */
  readonly voiceIsMute?: (text: string) => boolean;
  /** Texts of which the voice never gives a sound, nor an end. */
  readonly voiceHangs?: (text: string) => boolean;
  /** Nothing happens before what came before it has had all its consequences, as in Node. */
  readonly settles?: boolean;
  /** The time of the world, and how the engine's thread sees it; by default one and the same. */
  readonly clock?: VirtualClock;
  readonly engineClock?: Clock;
  /** Makes the call of its parts; a plain one without it. */
  readonly begin?: (parts: CallDependencies) => CallInput;
  readonly streaming?: (clock: VirtualClock) => StreamingSpeechToText;
  /** Which language the recogniser finds in a text. */
  readonly languageOf?: (text: string) => string | undefined;
  /** Voices of a call whose language is found out. */
  readonly languages?: readonly string[];
  /** The same voice in good health, for when the first fails. */
  readonly hasFallbackVoice?: boolean;
}

/** The whole engine with scripted models on a virtual clock. */
export function harness(options: HarnessOptions = {}) {
  const clock = options.clock ?? new VirtualClock();
  const engineClock = options.engineClock ?? clock;
  const transport = new PlayingClient(clock, options.wayMs, options.canPause);
  const said: Said[] = [];
  const turns = new Map<number, LoggedTurn>();
  const faults: string[] = [];
  const record: string[] = [];
  const requests: LlmRequest[] = [];
  const spokenBy: string[] = [];
  let ended: EndedReason | undefined;

  const log: CallLog = {
    // Slower than what follows, as a database's connections may be.
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
    voiceActivity: speechFromSound(),
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
          ? overheard(scriptedVoice(engineClock, {}), language, spokenBy)
          : undefined),
    fallbackVoices: options.hasFallbackVoice
      ? [{ ...scriptedVoice(engineClock, {}), id: 'fallback voice' }]
      : [],
    tools: options.tools,
    speechCache: new SpeechCache(engineClock),
    log,
    onFault: (part, error) => faults.push(`${part}: ${String(error)}`),
    onEnded: (reason) => {
      ended = reason;
    },
  });
  transport.onPlayed = (ms) => call.played(ms);
  let sentMs = 0;
  const run = (ms: number) => (options.settles ? clock.runSettled(ms) : clock.run(ms));

  /** Feeds `ms` of the caller's microphone by the clock: speech where a text is given. */
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
    /** Breaks the wire for so long; the caller is not heard meanwhile. */
    away: async (ms: number) => {
      transport.isAway = true;
      call.lost();
      await run(ms);
      transport.isAway = false;
      call.regained(transport.receivedMs, (fromMs) => transport.skipTo(fromMs));
    },
    control: () => transport.control.map((line) => line.split(' ')[1]),
    states: () =>
      transport.events.flatMap((event) => (event.type === 'state' ? [event.state] : [])),
    /** What a client shows in the end: the newest text of each segment. */
    shown: () => {
      const segments = new Map<string, string>();
      for (const event of transport.events) {
        if (event.type !== 'transcript') continue;
        segments.delete(event.segment);
        if (event.text) segments.set(event.segment, `${event.role}: ${event.text}`);
      }
      return [...segments.values()];
    },
    /** Segments that a client shows and that may still change. */
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

/** Speech carries which text it says as its sample value, so that the scripted recogniser "hears" it. */
function encodeText(text: string): number {
  if (!texts.includes(text)) texts.push(text);
  return 1000 + texts.indexOf(text);
}

function speechFromSound(): VoiceActivity {
  return {
    open: (onWindow) => ({
      push: (window) => onWindow(window.some((sample) => sample > 0.01) ? 0.95 : 0.02),
      close: () => undefined,
    }),
  };
}

/** The texts that speech carries, in order. */
export function textsIn(samples: Float32Array): string {
  const heard: string[] = [];
  for (const sample of samples) {
    const value = Math.round(sample * 32768);
    if (value < 1000) continue;
    const text = texts[value - 1000]!;
    if (heard.at(-1) !== text) heard.push(text);
  }
  return heard.filter(Boolean).join(' ');
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

/** Writes down which voice says what in which language. */
function overheard(voice: TextToSpeech, name: string, spokenBy: string[]): TextToSpeech {
  return {
    ...voice,
    languages: [name],
    speak(utterance, options) {
      spokenBy.push(`${name} in ${utterance.language}: ${utterance.text}`);
      return voice.speak(utterance, options);
    },
  };
}

/** 100 ms of sound a word; the sample value counts up, so that a test sees each lost or repeated one. */
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
