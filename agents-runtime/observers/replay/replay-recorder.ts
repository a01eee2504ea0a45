import { SampleQueue } from '../../../media/audio/sample-queue.js';
import { LANGUAGES } from '../../../media/languages.js';
import type { SpeechChunk } from '../../../media/tts/text-to-speech.js';
import type {
  CallInputEvent,
  ProviderExchange,
  TransportEvent,
} from '../../contract/call-observer.js';
import type { FindVoice } from '../../contract/find-voice.js';
import type { CallDependencies } from '../../session/call-dependencies.js';
import { EffectObserver, fileMs } from './effect-observer.js';
import { encodePcm, encodeSamples, withoutSecrets, wordRows } from './replay-encoding.js';
import {
  REPLAY_VERSION,
  type ReplayHeader,
  type ReplayLine,
  type ReplaySink,
  type ResponseLine,
} from './replay-format.js';

/** The ports of a call that a replay needs to know. */
export type RecordedPorts = Omit<CallDependencies, 'observers'>;

/**
 * Records a call's input, the responses of its providers and its turn events. The file contains the
 * caller's audio and all words, without credentials of tools. Streaming speech recognition is not recorded.
 * The agent's audio is not stored; a replay generates it again.
 */
export class ReplayRecorder extends EffectObserver {
  readonly #sink: ReplaySink;
  /** Without an echo canceller, the agent's audio affects the call. */
  readonly #needsAgentAudio: boolean;
  /** Input of the noise reduction. Its output is only written where it differs. */
  readonly #noiseInput = new SampleQueue();
  #hasEnded = false;

  constructor(ports: RecordedPorts, sink: ReplaySink) {
    super(ports.transport.sampleRate, (line) => this.#write(line));
    this.#sink = sink;
    this.#needsAgentAudio = !ports.transport.hasEchoCanceller;
    sink.write(headerOf(ports));
  }

  input(event: CallInputEvent, atMs: number): void {
    const t = fileMs(atMs);
    if (event.type !== 'audio') this.#write({ t, ...event });
    else this.#write({ t, type: 'audio', pcm: encodePcm(event.samples) });
  }

  override output(event: TransportEvent, atMs: number): void {
    if (event.type === 'backlog') this.#write({ t: fileMs(atMs), ...event });
    else super.output(event, atMs);
  }

  provider(exchange: ProviderExchange, atMs: number): void {
    const t = fileMs(atMs);
    switch (exchange.type) {
      case 'request': {
        const { id: n, port: of, key } = exchange;
        this.#write({ t, type: 'asked', n, of, key });
        return;
      }
      case 'response':
        this.#write({ t, type: 'answer', n: exchange.id, ...this.#answerOf(exchange) });
        return;
      case 'voice-activity':
        this.#write({ t, type: 'vad', probability: exchange.probability });
        return;
      case 'noise-reduction-input':
        this.#noiseInput.push(exchange.samples);
        return;
      case 'noise-reduction': {
        const { samples } = exchange;
        const original = this.#noiseInput.take(samples.length);
        const isSame = original.every((sample, i) => sample === samples[i]);
        const pcm = isSame ? {} : { pcm: encodeSamples(samples) };
        this.#write({ t, type: 'cleaned', samples: samples.length, ...pcm });
        return;
      }
      case 'noise-reduction-failed':
        this.#write({ t, type: 'not-cleaned' });
    }
  }

  ended(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#sink.end();
  }

  #answerOf({
    port,
    value,
    error,
    isLast,
  }: Extract<ProviderExchange, { type: 'response' }>): Pick<
    ResponseLine,
    'value' | 'error' | 'isLast'
  > {
    if (error !== undefined) return { error: nameOf(error) };
    if (isLast) return { isLast };
    return { value: isSpeech(port, value) ? this.#speechOf(value) : value };
  }

  /** The length of a chunk and its words. Its samples only if they affect the call. */
  #speechOf({ samples, words, text }: SpeechChunk & { readonly text?: string }) {
    return {
      ...(text !== undefined && { text }),
      samples: samples.length,
      words: wordRows(words),
      ...(this.#needsAgentAudio && { pcm: encodeSamples(samples) }),
    };
  }

  #write(line: ReplayLine): void {
    if (!this.#hasEnded) this.#sink.write(line);
  }
}

function isSpeech(port: string, value: unknown): value is SpeechChunk {
  const isVoice = port === 'greeting' || port.startsWith('voice');
  return isVoice && typeof value === 'object' && value !== null;
}

function headerOf(ports: RecordedPorts): ReplayHeader {
  const { config, voice, findVoice, speechToText, transport, tools, dictionary } = ports;
  const { fallbackModels = [], fallbackVoices = [] } = ports;
  return {
    type: 'call',
    format: 'parley.replay',
    version: REPLAY_VERSION,
    sampleRate: transport.sampleRate,
    voiceSampleRates: [voice, ...fallbackVoices].map(({ sampleRate }) => sampleRate),
    ...(findVoice && { languageVoices: ratesOf(findVoice) }),
    ...(speechToText.interimEveryMs && { interimEveryMs: speechToText.interimEveryMs }),
    replyModels: 1 + fallbackModels.length,
    hasEchoCanceller: transport.hasEchoCanceller,
    ...(!transport.canPause && { canPause: false }),
    hasNoiseReduction: ports.noiseReduction !== undefined,
    ...(tools && { tools: [...tools.specs] }),
    config: withoutSecrets(config),
    ...(dictionary && { dictionary: [...dictionary.rules] }),
  };
}

function ratesOf(findVoice: FindVoice): Record<string, number> {
  const voices = LANGUAGES.map((language) => [language, findVoice(language)?.sampleRate] as const);
  return Object.fromEntries(
    voices.flatMap(([language, rate]) => (rate === undefined ? [] : [[language, rate]])),
  );
}

/** The error's code, as a message may quote the conversation. */
function nameOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return error instanceof Error ? error.name : 'Error';
}
