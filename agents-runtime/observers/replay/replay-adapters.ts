import { SampleQueue } from '../../../media/audio/sample-queue.js';
import type {
  NoiseReduction,
  NoiseReductionOptions,
} from '../../../media/noise/noise-reduction.js';
import type { SpeechToText, Transcription } from '../../../media/stt/speech-to-text.js';
import type { SpeechChunk, TextToSpeech } from '../../../media/tts/text-to-speech.js';
import type { TurnDetector } from '../../../media/turn-detection/turn-detector.js';
import type { VoiceActivity } from '../../../media/vad/voice-activity.js';
import type { CallLog } from '../../contract/call-log.js';
import { CallError } from '../../contract/errors.js';
import type { FindVoice } from '../../contract/find-voice.js';
import type { LanguageModel, ReplyToken } from '../../contract/language-model.js';
import type { ToolOutcome, ToolSpec, Tools } from '../../contract/tools.js';
import type { SpokenChunk } from '../../output/spoken-text-alignment.js';
import type { CallDependencies } from '../../session/call-dependencies.js';
import { fingerprint, llmKey, toolKey } from '../../session/observed-providers.js';
import { decodeSamples, type WordRow, wordRows, wordTimes } from './replay-encoding.js';
import type { CleanedLine, ReplayHeader, ResponseLine } from './replay-format.js';
import type { ReplayPlayer } from './replay-player.js';

/** Models for requests that the file has no response to. */
export interface LiveModels {
  readonly turnDetector: TurnDetector;
  readonly speechToText: SpeechToText;
}

export interface ReplayDependenciesOptions {
  readonly header: ReplayHeader;
  readonly player: ReplayPlayer;
  readonly liveModels?: LiveModels | undefined;
}

/** The reply to a request that is not in the file. */
const NO_REPLY = 'This answer is not in the replay file.';
/** Assumed duration of a text that is not in the file, ms per character. */
const CHARACTER_MS = 65;

interface SoundValue {
  readonly text?: string;
  readonly samples: number;
  readonly words: readonly WordRow[];
  readonly pcm?: string;
}

type Ports = Omit<
  CallDependencies,
  'config' | 'transport' | 'clock' | 'ticker' | 'dictionary' | 'observers' | 'onFault' | 'onEnded'
>;

/** The ports of a call, with the responses of a replay file. */
export function createReplayDependencies({
  header,
  player,
  liveModels,
}: ReplayDependenciesOptions) {
  const listeners: ((probability: number) => void)[] = [];
  const voiceActivity: VoiceActivity = {
    open(onWindow) {
      listeners.push(onWindow);
      return { push: () => undefined, close: () => undefined };
    },
  };
  const noise = new ReplayedNoise();
  const ports: Ports = {
    voiceActivity,
    noiseReduction: header.hasNoiseReduction ? noise : undefined,
    turnDetector: {
      completeness: async (samples, signal) =>
        valueIn<number>(
          await player.request({
            of: 'turn-model',
            key: fingerprint(samples),
            signal,
            fallback: async (near) =>
              response(
                liveModels
                  ? await liveModels.turnDetector.completeness(samples)
                  : (near?.value ?? 0.5),
              ),
          }),
        ),
    },
    speechToText: replayedSpeechToText(header, player, liveModels),
    languageModel: replayedModel(player, 'reply'),
    fallbackModels: Array.from({ length: header.replyModels - 1 }, (_, i) =>
      replayedModel(player, `reply ${i + 1}`),
    ),
    tools: header.tools && replayedTools(header.tools, player),
    voice: replayedVoice(header.voiceSampleRates[0]!, player, 'voice'),
    findVoice: header.languageVoices && replayedVoices(header.languageVoices, player),
    fallbackVoices: header.voiceSampleRates
      .slice(1)
      .map((sampleRate, i) => replayedVoice(sampleRate, player, `voice ${i + 1}`)),
    speechCache: {
      speak: (text, _manner, signal) => replayedGreeting(header, player, text, signal),
    },
    callLog: replayedLog(player),
  };
  return { ports, noise, vad: (probability: number) => listeners[0]?.(probability) };
}

/** Noise reduction with the recorded output. */
class ReplayedNoise implements NoiseReduction {
  readonly #queue = new SampleQueue();
  #line: NoiseReductionOptions | undefined;

  open(options: NoiseReductionOptions) {
    this.#line = options;
    return { push: (samples: Float32Array) => this.#queue.push(samples), close: () => undefined };
  }

  cleaned({ samples, pcm }: Pick<CleanedLine, 'samples' | 'pcm'>): void {
    const original = this.#queue.take(samples);
    this.#line?.onSamples(pcm === undefined ? original : decodeSamples(pcm));
  }

  failed(): void {
    this.#line?.onFault(new CallError('CLOSED', 'As recorded: the noise reduction failed'));
  }
}

type PortResponse = Pick<ResponseLine, 'value' | 'isLast'>;

function response(value: unknown): PortResponse {
  return { value };
}

/** The recorder wrote the value of this port, so it has the port's type. */
function valueIn<T>({ value }: PortResponse): T {
  return value as T;
}

function replayedSpeechToText(
  { interimEveryMs }: ReplayHeader,
  player: ReplayPlayer,
  liveModels: LiveModels | undefined,
): SpeechToText {
  return {
    id: 'replay',
    languages: [],
    ...(interimEveryMs && { interimEveryMs }),
    async transcribe(samples, { priority, signal }) {
      const result = await player.request({
        of: 'recogniser',
        key: fingerprint(samples),
        signal,
        fallback: async (near) =>
          response(
            liveModels
              ? await liveModels.speechToText.transcribe(samples, { priority })
              : (near?.value ?? { text: '', providerId: 'replay' }),
          ),
      });
      return valueIn<Transcription>(result);
    },
  };
}

function replayedVoices(rates: Readonly<Record<string, number>>, player: ReplayPlayer): FindVoice {
  return (language) => {
    const rate = rates[language];
    return rate === undefined ? undefined : replayedVoice(rate, player, `voice ${language}`);
  };
}

function replayedModel(player: ReplayPlayer, of: string): LanguageModel {
  return {
    id: 'replay',
    async *generate(request) {
      const question = llmKey(request);
      const { signal } = request;
      void player
        .request<PortResponse>({ of: `known ${of}`, key: question })
        .then(() => request.onRetrieved?.());
      for (let index = 0; ; index++) {
        const key = `${index} ${question}`;
        const fallback = () => (index === 0 ? response(NO_REPLY) : { isLast: true });
        const result: PortResponse = await player.request({ of, key, signal, fallback });
        if (result.isLast) return;
        yield valueIn<ReplyToken>(result);
      }
    },
  };
}

function replayedVoice(sampleRate: number, player: ReplayPlayer, of: string): TextToSpeech {
  return {
    id: 'replay',
    languages: [],
    sampleRate,
    warm: async () => undefined,
    close: async () => undefined,
    async *speak({ text }, { signal }): AsyncGenerator<SpeechChunk> {
      for (let index = 0; ; index++) {
        const fallback = () => (index === 0 ? response(estimatedSpeech(text, sampleRate)) : LAST);
        const key = `${index} ${text}`;
        const result: PortResponse = await player.request({ of, key, signal, fallback });
        if (result.isLast) return;
        yield soundIn(valueIn<SoundValue>(result));
      }
    },
  };
}

function replayedTools(specs: readonly ToolSpec[], player: ReplayPlayer): Tools {
  const fallback = () => response({ text: 'Error: this is not in the replay file.' });
  return {
    specs,
    problemWith: async (name, args) => {
      const key = toolKey(name, args);
      const result = await player.request({
        of: 'tool-problem',
        key,
        fallback: () => response(undefined),
      });
      return result.value as string | undefined;
    },
    call: async (name, args, signal) =>
      valueIn<ToolOutcome>(
        await player.request({ of: 'tool', key: toolKey(name, args), signal, fallback }),
      ),
  };
}

const LAST: PortResponse = { isLast: true };

async function* replayedGreeting(
  { sampleRate }: ReplayHeader,
  player: ReplayPlayer,
  greeting: string,
  signal: AbortSignal,
): AsyncGenerator<SpokenChunk> {
  for (let index = 0; ; index++) {
    const fallback = () =>
      index === 0 ? response({ ...estimatedSpeech(greeting, sampleRate), text: greeting }) : LAST;
    const key = `${index} ${greeting}`;
    const result: PortResponse = await player.request({ of: 'greeting', key, signal, fallback });
    if (result.isLast) return;
    const value = valueIn<SoundValue>(result);
    yield { text: value.text ?? '', ...soundIn(value) };
  }
}

/** Silence of the same length if the file does not contain the audio. */
function soundIn({ samples, words, pcm }: SoundValue): SpeechChunk {
  const sound = pcm === undefined ? new Float32Array(samples) : decodeSamples(pcm);
  return { samples: sound, words: wordTimes(words) };
}

/** Words whose duration is proportional to their length. */
function estimatedSpeech(text: string, sampleRate: number): SoundValue {
  const samplesAt = (index: number) => Math.round((index * CHARACTER_MS * sampleRate) / 1000);
  const words = [...text.matchAll(/\S+/g)].map(({ index, 0: word }) => ({
    textStart: index,
    textEnd: index + word.length,
    startSample: samplesAt(index),
    endSample: samplesAt(index + word.length),
  }));
  return { samples: samplesAt(text.length), words: wordRows(words) };
}

function replayedLog(player: ReplayPlayer): CallLog {
  const write = async (key: string) => {
    await player.request({ of: 'log', key, fallback: () => response(undefined) });
  };
  return {
    started: () => write('started'),
    turn: ({ index }) => write(`turn ${index}`),
    ended: () => write('ended'),
  };
}
