import { LANGUAGES } from '../../media/languages.js';
import type { VoiceFor } from '../agent/call-language.js';
import { Call } from '../call/call.js';
import type { CallParts } from '../call/call-parts.js';
import type { CallInput, SayRefusal } from '../call/transport.js';
import {
  RecordedBacklog,
  recordedLog,
  recordedNoiseReduction,
  recordedRecogniser,
  recordedReplies,
  recordedTools,
  recordedVoice,
  recordedVoiceActivity,
  recordedVoices,
  soundOf,
} from './recorded-ports.js';
import { Recorder } from './recorder.js';
import { TAPE_VERSION, type TapeHead, type TapeLine, type TapeSink } from './tape.js';
import { encodePcm, fingerprint, withoutSecrets } from './tape-values.js';
import { WitnessedLog, WitnessedTransport, witnessedFaults } from './witnessed.js';

/**
 * A call that is written down as it happens: what comes in, what its models say and when, and what it
 * does. The tape holds the caller's audio and all words; credentials of tools are left out. The wire
 * never brings anything from within what is sent over it.
 */
export function recordCall(parts: CallParts, sink: TapeSink): CallInput {
  const recorder = new Recorder(parts.clock, sink);
  const { config, voice, fallbackModels = [], fallbackVoices = [], tools } = parts;
  recorder.write(headOf(parts));
  const witness = { clock: recorder, tell: (line: TapeLine) => recorder.write(line) };
  const transport = new WitnessedTransport(new RecordedBacklog(parts.transport, recorder), witness);
  /** The agent's own sound matters to the call. */
  const isHeard = !parts.transport.hasEchoCanceller;
  // Each port is named, so that a new one is not forgotten.
  const recorded: { readonly [Port in keyof Required<CallParts>]: CallParts[Port] } = {
    config,
    transport,
    clock: recorder,
    ticker: parts.ticker.on(recorder),
    voiceActivity: recordedVoiceActivity(parts.voiceActivity, recorder),
    noiseReduction: parts.noiseReduction && recordedNoiseReduction(parts.noiseReduction, recorder),
    turnModel: {
      completeness: (samples, signal) =>
        recorder.once(
          'turn-model',
          fingerprint(samples),
          parts.turnModel.completeness(samples, signal),
          (probability) => probability,
        ),
    },
    recogniser: recordedRecogniser(parts.recogniser, recorder),
    // What it hears is not on the tape: in such a call the other one hears all.
    liveRecogniser: undefined,
    replyModel: recordedReplies(parts.replyModel, recorder, 'reply'),
    fallbackModels: fallbackModels.map((model, i) =>
      recordedReplies(model, recorder, `reply ${i + 1}`),
    ),
    tools: tools && recordedTools(tools, recorder),
    voice: recordedVoice(voice, recorder, { of: 'voice', isHeard }),
    fallbackVoices: fallbackVoices.map((fallback, i) =>
      recordedVoice(fallback, recorder, { of: `voice ${i + 1}`, isHeard }),
    ),
    voiceFor: parts.voiceFor && recordedVoices(parts.voiceFor, recorder, isHeard),
    dictionary: parts.dictionary,
    greetings: {
      speak: (text, manner, signal) =>
        recorder.stream(
          'greeting',
          text,
          parts.greetings.speak(
            text,
            { ...manner, voice: parts.voiceFor?.(manner.language) ?? voice },
            signal,
          ),
          (piece) => ({ text: piece.text, ...soundOf(piece, isHeard) }),
        ),
    },
    log: new WitnessedLog(recordedLog(parts.log, recorder), witness),
    onFault: witnessedFaults(parts.onFault, witness),
    observer: parts.observer,
    onEnded: (reason) => {
      recorder.end();
      parts.onEnded(reason);
    },
  };
  return new RecordedInput(new Call(recorded), transport, recorder);
}

/** What the call is made of, as far as a replay has to know. */
function headOf(parts: CallParts): TapeHead {
  const { config, voice, voiceFor, recogniser, transport, tools, dictionary } = parts;
  const { fallbackModels = [], fallbackVoices = [] } = parts;
  return {
    type: 'call',
    format: 'parley.replay',
    version: TAPE_VERSION,
    sampleRate: transport.sampleRate,
    voiceSampleRates: [voice, ...fallbackVoices].map(({ sampleRate }) => sampleRate),
    ...(voiceFor && { languageVoices: ratesOf(voiceFor) }),
    ...(recogniser.interimEveryMs && { interimEveryMs: recogniser.interimEveryMs }),
    replyModels: 1 + fallbackModels.length,
    hasEchoCanceller: transport.hasEchoCanceller,
    ...(transport.canPause === false && { canPause: false }),
    hasNoiseReduction: parts.noiseReduction !== undefined,
    ...(tools && { tools: [...tools.specs] }),
    config: withoutSecrets(config),
    ...(dictionary && { dictionary: [...dictionary.rules] }),
  };
}

function ratesOf(voiceFor: VoiceFor): Record<string, number> {
  const voices = LANGUAGES.map((language) => [language, voiceFor(language)?.sampleRate] as const);
  return Object.fromEntries(
    voices.flatMap(([language, rate]) => (rate === undefined ? [] : [[language, rate]])),
  );
}

/** What the wire brings is written down before the call has it. */
class RecordedInput implements CallInput {
  readonly #call: CallInput;
  readonly #transport: WitnessedTransport;
  readonly #recorder: Recorder;

  constructor(call: CallInput, transport: WitnessedTransport, recorder: Recorder) {
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
