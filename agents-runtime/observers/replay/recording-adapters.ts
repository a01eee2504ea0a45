import { SampleQueue } from '../../../media/audio/sample-queue.js';
import type { NoiseReduction } from '../../../media/noise/noise-reduction.js';
import type { SpeechToText } from '../../../media/stt/speech-to-text.js';
import type { SpeechChunk, TextToSpeech } from '../../../media/tts/text-to-speech.js';
import type { VoiceActivity } from '../../../media/vad/voice-activity.js';
import type { CallLog } from '../../contract/call-log.js';
import type { FindVoice } from '../../contract/find-voice.js';
import type { LanguageModel } from '../../contract/language-model.js';
import type { Tools } from '../../contract/tools.js';
import type { Transport } from '../../contract/transport.js';
import { ForwardingTransport } from './forwarding-transport.js';
import { encodeSamples, fingerprint, questionOf, toolKey, wordRows } from './replay-encoding.js';
import type { ReplayRecorder } from './replay-recorder.js';

/** The wire's backlog is written down when it has changed by more. */
const BACKLOG_STEP = 64 * 1024;

/** A wire whose backlog is on the tape, and is for the call what the tape says of it. */
export class RecordedBacklog extends ForwardingTransport {
  readonly #recorder: ReplayRecorder;
  #known = 0;

  constructor(wire: Transport, recorder: ReplayRecorder) {
    super(wire);
    this.#recorder = recorder;
  }

  override get backlogBytes(): number {
    const bytes = super.backlogBytes;
    if (Math.abs(bytes - this.#known) > BACKLOG_STEP || (bytes === 0 && this.#known !== 0)) {
      this.#known = bytes;
      this.#recorder.write({ t: this.#recorder.now(), type: 'backlog', bytes });
    }
    return this.#known;
  }
}

export function recordedVoiceActivity(
  voiceActivity: VoiceActivity,
  recorder: ReplayRecorder,
): VoiceActivity {
  return {
    open: (onWindow) =>
      voiceActivity.open((probability) => {
        recorder.enter({ type: 'vad', probability });
        onWindow(probability);
      }),
  };
}

/** Only what the noise reduction has changed is on the tape once more. */
export function recordedNoiseReduction(
  noise: NoiseReduction,
  recorder: ReplayRecorder,
): NoiseReduction {
  return {
    open({ onSamples, onFault }) {
      const queue = new SampleQueue();
      const line = noise.open({
        onSamples(samples) {
          const { length } = samples;
          const isSame = queue.take(length).every((sample, i) => sample === samples[i]);
          const pcm = isSame ? undefined : encodeSamples(samples);
          const t = recorder.enterWithin();
          recorder.write({ t, type: 'cleaned', samples: length, ...(pcm && { pcm }) });
          onSamples(samples);
        },
        onFault(error) {
          recorder.enter({ type: 'not-cleaned' });
          onFault(error);
        },
      });
      return {
        push(samples, isNoisy) {
          queue.push(samples);
          line.push(samples, isNoisy);
        },
        close: () => line.close(),
      };
    },
  };
}

export function recordedSpeechToText(
  recogniser: SpeechToText,
  recorder: ReplayRecorder,
): SpeechToText {
  const { id, languages } = recogniser;
  return {
    id,
    languages,
    ...(recogniser.interimEveryMs && { interimEveryMs: recogniser.interimEveryMs }),
    transcribe(samples, options) {
      return recorder.once(
        'recogniser',
        fingerprint(samples),
        recogniser.transcribe(samples, options),
        ({ text, language }) => (language === undefined ? text : { text, language }),
      );
    },
  };
}

/** @param of tells it from the others of the call. */
export function recordedLanguageModel(
  model: LanguageModel,
  recorder: ReplayRecorder,
  of: string,
): LanguageModel {
  return {
    id: model.id,
    prepare: (prompt, language) => model.prepare?.(prompt, language),
    generate(request) {
      const question = questionOf(request);
      const known = recorder.ask(`known ${of}`, question);
      const onKnown = () => {
        recorder.answer(known, {});
        request.onKnown?.();
      };
      const reply = model.generate({ ...request, onKnown });
      return recorder.stream(of, question, reply, (token) => token);
    },
  };
}

/** @param of tells it from the others of the call; with `isHeard` its sound is on the tape. */
export function recordedVoice(
  voice: TextToSpeech,
  recorder: ReplayRecorder,
  { of, isHeard }: { readonly of: string; readonly isHeard: boolean },
): TextToSpeech {
  const { id, languages, sampleRate } = voice;
  return {
    id,
    languages,
    sampleRate,
    warm: () => voice.warm(),
    close: () => voice.close(),
    speak: (utterance, options) =>
      recorder.stream(of, utterance.text, voice.speak(utterance, options), (chunk) =>
        soundOf(chunk, isHeard),
      ),
  };
}

/** Voices of a call whose language is found out, each recorded under its language. */
export function recordedVoices(
  findVoice: FindVoice,
  recorder: ReplayRecorder,
  isHeard: boolean,
): FindVoice {
  const known = new Map<string, TextToSpeech>();
  return (language) => {
    const voice = known.get(language) ?? findVoice(language);
    if (!voice) return undefined;
    const recorded =
      known.get(language) ?? recordedVoice(voice, recorder, { of: `voice ${language}`, isHeard });
    known.set(language, recorded);
    return recorded;
  };
}

/** How long it sounds, and when which word; the sound itself only where the call hears it, too. */
export function soundOf({ samples, words }: SpeechChunk, isHeard: boolean) {
  const pcm = isHeard && { pcm: encodeSamples(samples) };
  return { samples: samples.length, words: wordRows(words), ...pcm };
}

/** Writing takes its time, too: the end of a call waits for it. */
export function recordedLog(log: CallLog, recorder: ReplayRecorder): CallLog {
  const nothing = () => undefined;
  return {
    started: () => recorder.once('log', 'started', log.started(), nothing),
    turn: (turn) => recorder.once('log', `turn ${turn.index}`, log.turn(turn), nothing),
    ended: (reason) => recorder.once('log', 'ended', log.ended(reason), nothing),
  };
}

export function recordedTools(tools: Tools, recorder: ReplayRecorder): Tools {
  return {
    specs: tools.specs,
    problemWith(name, args) {
      const checking = tools.problemWith?.(name, args) ?? Promise.resolve(undefined);
      return recorder.once('tool-problem', toolKey(name, args), checking, (problem) => problem);
    },
    call: (name, args, signal) =>
      recorder.once('tool', toolKey(name, args), tools.call(name, args, signal), (made) => made),
  };
}
