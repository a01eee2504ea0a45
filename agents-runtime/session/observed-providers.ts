import type { NoiseReduction } from '../../media/noise/noise-reduction.js';
import type { SpeechToText } from '../../media/stt/speech-to-text.js';
import type { TextToSpeech } from '../../media/tts/text-to-speech.js';
import type { CallLog } from '../contract/call-log.js';
import type { FindVoice } from '../contract/find-voice.js';
import type { LanguageModel, LlmRequest } from '../contract/language-model.js';
import type { Tools } from '../contract/tools.js';
import type { CallDependencies } from './call-dependencies.js';
import type { ObserverGroup } from './observer-group.js';

/** Samples that a fingerprint reads. */
const PROBES = 256;

/** Identifies audio in a request. Source: FNV-1a, 32 bit. */
export function fingerprint(samples: Float32Array): string {
  let hash = 0x811c9dc5;
  const step = Math.max(1, Math.floor(samples.length / PROBES));
  for (let i = samples.length - 1; i >= 0; i -= step) {
    hash = Math.imul(hash ^ (Math.round(samples[i]! * 32768) & 0xffff), 0x01000193);
  }
  return `${samples.length} ${(hash >>> 0).toString(16)}`;
}

/** Identifies a request to an LLM: the newest text of the conversation. */
export function llmKey({ history }: LlmRequest): string {
  return history.at(-1)?.text ?? '';
}

export function toolKey(name: string, args: Readonly<Record<string, unknown>>): string {
  return `${name} ${JSON.stringify(args)}`;
}

/** The providers of a call. Their requests and responses are reported to the observers. */
export function observedProviders<T extends Omit<CallDependencies, 'observers'>>(
  ports: T,
  observer: ObserverGroup,
): T {
  const { voiceActivity, noiseReduction, turnDetector, speechCache, voice, findVoice } = ports;
  const exchanges = new ProviderExchanges(observer);
  return {
    ...ports,
    voiceActivity: {
      open: (onWindow) =>
        voiceActivity.open((probability) => {
          observer.provider({ type: 'voice-activity', probability });
          onWindow(probability);
        }),
    },
    noiseReduction: noiseReduction && observedNoiseReduction(noiseReduction, observer),
    turnDetector: {
      completeness: (samples, signal) =>
        exchanges.single('turn-model', fingerprint(samples), () =>
          turnDetector.completeness(samples, signal),
        ),
    },
    speechToText: observedSpeechToText(ports.speechToText, exchanges),
    languageModel: observedLanguageModel(ports.languageModel, exchanges, 'reply'),
    fallbackModels: ports.fallbackModels?.map((model, i) =>
      observedLanguageModel(model, exchanges, `reply ${i + 1}`),
    ),
    tools: ports.tools && observedTools(ports.tools, exchanges),
    voice: observedVoice(voice, exchanges, 'voice'),
    fallbackVoices: ports.fallbackVoices?.map((fallback, i) =>
      observedVoice(fallback, exchanges, `voice ${i + 1}`),
    ),
    findVoice: findVoice && observedVoices(findVoice, exchanges),
    speechCache: {
      // The cache gets the voice itself: its requests to the voice serve other calls, too. The key `greeting`
      // is part of replay files; it covers all fixed phrases.
      speak: (text, settings, signal) =>
        exchanges.stream('greeting', text, () =>
          speechCache.speak(
            text,
            { ...settings, voice: findVoice?.(settings.language) ?? voice },
            signal,
          ),
        ),
    },
    callLog: logWithExchanges(ports.callLog, exchanges),
  };
}

/** Numbers the requests to providers and reports them with their responses. */
class ProviderExchanges {
  readonly #observer: ObserverGroup;
  #requests = 0;

  constructor(observer: ObserverGroup) {
    this.#observer = observer;
  }

  request(port: string, key: string): number {
    const id = ++this.#requests;
    this.#observer.provider({ type: 'request', id, port, key });
    return id;
  }

  respond(id: number, port: string, value?: unknown): void {
    this.#observer.provider({ type: 'response', id, port, value });
  }

  fail(id: number, port: string, error: unknown): never {
    this.#observer.provider({ type: 'response', id, port, error });
    throw error;
  }

  async single<T>(port: string, key: string, work: () => Promise<T>): Promise<T> {
    const id = this.request(port, key);
    try {
      const value = await work();
      this.respond(id, port, value);
      return value;
    } catch (error) {
      return this.fail(id, port, error);
    }
  }

  /** Each item of a stream is a separate request, with the index in its key. */
  async *stream<T>(port: string, key: string, open: () => AsyncGenerator<T>): AsyncGenerator<T> {
    const source = open();
    try {
      for (let index = 0; ; index++) {
        const id = this.request(port, `${index} ${key}`);
        const next = await source.next().catch((error: unknown) => this.fail(id, port, error));
        if (next.done) {
          this.#observer.provider({ type: 'response', id, port, isLast: true });
          return;
        }
        this.respond(id, port, next.value);
        yield next.value;
      }
    } finally {
      await source.return(undefined);
    }
  }
}

function observedNoiseReduction(noise: NoiseReduction, observer: ObserverGroup): NoiseReduction {
  return {
    open({ onSamples, onFault }) {
      const stream = noise.open({
        onSamples(samples) {
          observer.provider({ type: 'noise-reduction', samples });
          onSamples(samples);
        },
        onFault(error) {
          observer.provider({ type: 'noise-reduction-failed' });
          onFault(error);
        },
      });
      return {
        push(samples, isNoisy) {
          observer.provider({ type: 'noise-reduction-input', samples });
          stream.push(samples, isNoisy);
        },
        close: () => stream.close(),
      };
    },
  };
}

function observedSpeechToText(stt: SpeechToText, exchanges: ProviderExchanges): SpeechToText {
  const { id, languages, interimEveryMs } = stt;
  return {
    id,
    languages,
    ...(interimEveryMs && { interimEveryMs }),
    transcribe: (samples, options) =>
      exchanges.single('recogniser', fingerprint(samples), () => stt.transcribe(samples, options)),
  };
}

function observedLanguageModel(
  model: LanguageModel,
  exchanges: ProviderExchanges,
  port: string,
): LanguageModel {
  return {
    id: model.id,
    warm: (prompt, language) => model.warm?.(prompt, language),
    generate(request) {
      const key = llmKey(request);
      // Replay files contain this name of the port.
      const retrieval = exchanges.request(`known ${port}`, key);
      const onRetrieved = () => {
        exchanges.respond(retrieval, `known ${port}`);
        request.onRetrieved?.();
      };
      return exchanges.stream(port, key, () => model.generate({ ...request, onRetrieved }));
    },
  };
}

function observedVoice(
  voice: TextToSpeech,
  exchanges: ProviderExchanges,
  port: string,
): TextToSpeech {
  const { id, languages, sampleRate } = voice;
  return {
    id,
    languages,
    sampleRate,
    warm: () => voice.warm(),
    close: () => voice.close(),
    speak: (request, options) =>
      exchanges.stream(port, request.text, () => voice.speak(request, options)),
  };
}

function observedVoices(findVoice: FindVoice, exchanges: ProviderExchanges): FindVoice {
  const known = new Map<string, TextToSpeech>();
  return (language) => {
    const voice = known.get(language) ?? findVoice(language);
    if (!voice || known.has(language)) return voice;
    const observed = observedVoice(voice, exchanges, `voice ${language}`);
    known.set(language, observed);
    return observed;
  };
}

function observedTools(tools: Tools, exchanges: ProviderExchanges): Tools {
  return {
    get specs() {
      return tools.specs;
    },
    problemWith: (name, args) =>
      exchanges.single(
        'tool-problem',
        toolKey(name, args),
        async () => await tools.problemWith?.(name, args),
      ),
    call: (name, args, signal) =>
      exchanges.single('tool', toolKey(name, args), () => tools.call(name, args, signal)),
  };
}

function logWithExchanges(log: CallLog, exchanges: ProviderExchanges): CallLog {
  return {
    started: () => exchanges.single('log', 'started', () => log.started()),
    turn: (turn) => exchanges.single('log', `turn ${turn.index}`, () => log.turn(turn)),
    ended: (reason) => exchanges.single('log', 'ended', () => log.ended(reason)),
  };
}
