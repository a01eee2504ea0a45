import { LANGUAGES } from '../../../media/languages.js';
import type { FindVoice } from '../../contract/find-voice.js';
import type { CallInput, SayRefusal } from '../../contract/transport.js';
import { Call } from '../../session/call.js';
import type { CallDependencies } from '../../session/call-dependencies.js';
import { EffectObservingLog, EffectObservingTransport, observeFaults } from './effect-observer.js';
import {
  RecordedBacklog,
  recordedLanguageModel,
  recordedLog,
  recordedNoiseReduction,
  recordedSpeechToText,
  recordedTools,
  recordedVoice,
  recordedVoiceActivity,
  recordedVoices,
  soundOf,
} from './recording-adapters.js';
import { encodePcm, fingerprint, withoutSecrets } from './replay-encoding.js';
import {
  REPLAY_VERSION,
  type ReplayHeader,
  type ReplayLine,
  type ReplaySink,
} from './replay-format.js';
import { ReplayRecorder } from './replay-recorder.js';

/**
 * A call that is written down as it happens: what comes in, what its models say and when, and what it
 * does. The tape holds the caller's audio and all words; credentials of tools are left out. The wire
 * never brings anything from within what is sent over it.
 */
export function recordCall(parts: CallDependencies, sink: ReplaySink): CallInput {
  const recorder = new ReplayRecorder(parts.clock, sink);
  const { config, voice, fallbackModels = [], fallbackVoices = [], tools } = parts;
  recorder.write(headOf(parts));
  const effectObserver = { clock: recorder, tell: (line: ReplayLine) => recorder.write(line) };
  const transport = new EffectObservingTransport(
    new RecordedBacklog(parts.transport, recorder),
    effectObserver,
  );
  /** The agent's own sound matters to the call. */
  const isHeard = !parts.transport.hasEchoCanceller;
  // Each port is named, so that a new one is not forgotten.
  const recorded: { readonly [Port in keyof Required<CallDependencies>]: CallDependencies[Port] } =
    {
      config,
      transport,
      clock: recorder,
      ticker: parts.ticker.on(recorder),
      voiceActivity: recordedVoiceActivity(parts.voiceActivity, recorder),
      noiseReduction:
        parts.noiseReduction && recordedNoiseReduction(parts.noiseReduction, recorder),
      turnDetector: {
        completeness: (samples, signal) =>
          recorder.once(
            'turn-model',
            fingerprint(samples),
            parts.turnDetector.completeness(samples, signal),
            (probability) => probability,
          ),
      },
      speechToText: recordedSpeechToText(parts.speechToText, recorder),
      // What it hears is not on the tape: in such a call the other one hears all.
      streamingSpeechToText: undefined,
      languageModel: recordedLanguageModel(parts.languageModel, recorder, 'reply'),
      fallbackModels: fallbackModels.map((model, i) =>
        recordedLanguageModel(model, recorder, `reply ${i + 1}`),
      ),
      tools: tools && recordedTools(tools, recorder),
      voice: recordedVoice(voice, recorder, { of: 'voice', isHeard }),
      fallbackVoices: fallbackVoices.map((fallback, i) =>
        recordedVoice(fallback, recorder, { of: `voice ${i + 1}`, isHeard }),
      ),
      findVoice: parts.findVoice && recordedVoices(parts.findVoice, recorder, isHeard),
      dictionary: parts.dictionary,
      speechCache: {
        speak: (text, manner, signal) =>
          recorder.stream(
            'greeting',
            text,
            parts.speechCache.speak(
              text,
              { ...manner, voice: parts.findVoice?.(manner.language) ?? voice },
              signal,
            ),
            (piece) => ({ text: piece.text, ...soundOf(piece, isHeard) }),
          ),
      },
      log: new EffectObservingLog(recordedLog(parts.log, recorder), effectObserver),
      onFault: observeFaults(parts.onFault, effectObserver),
      observers: parts.observers ?? [],
      onEnded: (reason) => {
        recorder.end();
        parts.onEnded(reason);
      },
    };
  return new RecordedInput(new Call(recorded), transport, recorder);
}

/** What the call is made of, as far as a replay has to know. */
function headOf(parts: CallDependencies): ReplayHeader {
  const { config, voice, findVoice, speechToText, transport, tools, dictionary } = parts;
  const { fallbackModels = [], fallbackVoices = [] } = parts;
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
    hasNoiseReduction: parts.noiseReduction !== undefined,
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

/** What the wire brings is written down before the call has it. */
class RecordedInput implements CallInput {
  readonly #call: CallInput;
  readonly #transport: EffectObservingTransport;
  readonly #recorder: ReplayRecorder;

  constructor(call: CallInput, transport: EffectObservingTransport, recorder: ReplayRecorder) {
    this.#call = call;
    this.#transport = transport;
    this.#recorder = recorder;
  }

  connected(): void {
    this.#recorder.enter({ type: 'connected' });
    this.#call.connected();
  }

  audio(samples: Int16Array): void {
    this.#recorder.enter({ type: 'audio', pcm: encodePcm(samples) });
    this.#call.audio(samples);
  }

  typed(text: string): void {
    this.#recorder.enter({ type: 'typed', text });
    this.#call.typed(text);
  }

  say(text: string): SayRefusal | undefined {
    this.#recorder.enter({ type: 'say', text });
    return this.#call.say(text);
  }

  played(playedMs: number): void {
    this.#recorder.enter({ type: 'played', playedMs });
    this.#call.played(playedMs);
  }

  lost(forMs?: number): void {
    this.#recorder.enter({ type: 'lost', ...(forMs && { forMs }) });
    this.#call.lost(forMs);
  }

  regained(receivedMs: number, announce: (fromMs: number) => void): void {
    this.#recorder.enter({ type: 'regained', receivedMs });
    this.#call.regained(receivedMs, (fromMs) => {
      this.#transport.announce(fromMs);
      announce(fromMs);
    });
  }

  hangUp(reason: Parameters<CallInput['hangUp']>[0]): void {
    this.#recorder.enter({ type: 'hang-up', reason });
    this.#call.hangUp(reason);
  }
}
