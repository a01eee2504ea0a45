import type { Recogniser } from '../../media/inference/recogniser.js';
import type { NoiseReduction } from '../../media/noise/noise-reduction.js';
import type { SpeechChunk, VoiceModel } from '../../media/tts/voice-model.js';
import type { VoiceActivity } from '../../media/vad/voice-activity.js';
import type { ReplyModel } from '../agent/reply-model.js';
import { FrameTicker } from '../audio/frame-ticker.js';
import { Call } from '../call/call.js';
import type { CallLog } from '../call/call-log.js';
import type { CallParts } from '../call/call-parts.js';
import type { CallInput, CallTransport } from '../call/transport.js';
import { Recorder } from './recorder.js';
import { SampleQueue } from './sample-queue.js';
import { TAPE_VERSION, type TapeLine, type TapeSink } from './tape.js';
import {
  encodePcm,
  encodeSamples,
  fingerprint,
  questionOf,
  withoutSecrets,
  wordRows,
} from './tape-values.js';
import { WitnessedLog, WitnessedTransport, witnessedFaults } from './witnessed.js';

/** The wire's backlog is written down when it has changed by more. */
const BACKLOG_STEP = 64 * 1024;

/**
 * A call that is written down as it happens: what comes in, what its models say and when, and what it
 * does. The tape holds the caller's audio and all words; credentials of tools are left out. The wire
 * never brings anything from within what is sent over it.
 */
export function recordCall(parts: CallParts, sink: TapeSink): CallInput {
  const recorder = new Recorder(parts.clock, sink);
  const { config, voice } = parts;
  recorder.write({
    type: 'call',
    format: 'parley.replay',
    version: TAPE_VERSION,
    sampleRate: parts.transport.sampleRate,
    voiceSampleRate: voice.sampleRate,
    hasEchoCanceller: parts.transport.hasEchoCanceller,
    hasNoiseReduction: parts.noiseReduction !== undefined,
    config: withoutSecrets(config),
    ...(parts.dictionary && { dictionary: [...parts.dictionary.rules] }),
  });
  const witness = { clock: recorder, tell: (line: TapeLine) => recorder.write(line) };
  const transport = new WitnessedTransport(withBacklog(parts.transport, recorder), witness);
  /** The agent's own sound matters to the call. */
  const isHeard = !parts.transport.hasEchoCanceller;
  // Each port is named: a new one is not passed on unrecorded.
  const call = new Call({
    config,
    transport,
    clock: recorder,
    ticker: new FrameTicker(recorder),
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
    replyModel: recordedReplies(parts.replyModel, recorder),
    voice: recordedVoice(voice, recorder, isHeard),
    dictionary: parts.dictionary,
    greetings: {
      speak: (text, manner, signal) =>
        recorder.stream(
          'greeting',
          text,
          parts.greetings.speak(text, { ...manner, voice }, signal),
          (piece) => ({ text: piece.text, ...soundOf(piece, isHeard) }),
        ),
    },
    log: new WitnessedLog(recordedLog(parts.log, recorder), witness),
    onFault: witnessedFaults(parts.onFault, witness),
    onEnded: (reason) => {
      recorder.end();
      parts.onEnded(reason);
    },
  });
  return new RecordedInput(call, transport, recorder);
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
    this.#recorder.write({ t: this.#recorder.enter(), type: 'connected' });
    this.#call.connected();
  }

  audio(samples: Int16Array): void {
    this.#recorder.write({ t: this.#recorder.enter(), type: 'audio', pcm: encodePcm(samples) });
    this.#call.audio(samples);
  }

  typed(text: string): void {
    this.#recorder.write({ t: this.#recorder.enter(), type: 'typed', text });
    this.#call.typed(text);
  }

  played(playedMs: number): void {
    this.#recorder.write({ t: this.#recorder.enter(), type: 'played', playedMs });
    this.#call.played(playedMs);
  }

  lost(): void {
    this.#recorder.write({ t: this.#recorder.enter(), type: 'lost' });
    this.#call.lost();
  }

  regained(receivedMs: number, announce: (fromMs: number) => void): void {
    this.#recorder.write({ t: this.#recorder.enter(), type: 'regained', receivedMs });
    this.#call.regained(receivedMs, (fromMs) => {
      this.#transport.announce(fromMs);
      announce(fromMs);
    });
  }

  hangUp(reason: Parameters<CallInput['hangUp']>[0]): void {
    this.#recorder.write({ t: this.#recorder.enter(), type: 'hang-up', reason });
    this.#call.hangUp(reason);
  }
}

function withBacklog(wire: CallTransport, recorder: Recorder): CallTransport {
  let known = 0;
  return {
    sampleRate: wire.sampleRate,
    hasEchoCanceller: wire.hasEchoCanceller,
    get backlogBytes() {
      const bytes = wire.backlogBytes;
      if (Math.abs(bytes - known) > BACKLOG_STEP || (bytes === 0 && known !== 0)) {
        known = bytes;
        recorder.write({ t: recorder.now(), type: 'backlog', bytes });
      }
      return known;
    },
    audio: (samples) => wire.audio(samples),
    pause: () => wire.pause(),
    resumeFrom: (fromMs) => wire.resumeFrom(fromMs),
    clear: () => wire.clear(),
    send: (event) => wire.send(event),
    close: () => wire.close(),
  };
}

function recordedVoiceActivity(voiceActivity: VoiceActivity, recorder: Recorder): VoiceActivity {
  return {
    open: (onWindow) =>
      voiceActivity.open((probability) => {
        recorder.write({ t: recorder.enter(), type: 'vad', probability });
        onWindow(probability);
      }),
  };
}

/** Only what the noise reduction has changed is on the tape once more. */
function recordedNoiseReduction(noise: NoiseReduction, recorder: Recorder): NoiseReduction {
  return {
    open({ onSamples, onFault }) {
      const queue = new SampleQueue();
      const line = noise.open({
        onSamples(samples) {
          const { length } = samples;
          const isSame = queue.take(length).every((sample, i) => sample === samples[i]);
          const pcm = isSame ? undefined : encodeSamples(samples);
          const t = recorder.enter();
          recorder.write({ t, type: 'cleaned', samples: length, ...(pcm && { pcm }) });
          onSamples(samples);
        },
        onFault(error) {
          recorder.write({ t: recorder.enter(), type: 'not-cleaned' });
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

function recordedRecogniser(recogniser: Recogniser, recorder: Recorder): Recogniser {
  const { id, languages } = recogniser;
  return {
    id,
    languages,
    transcribe: (samples, options) =>
      recorder.once(
        'recogniser',
        fingerprint(samples),
        recogniser.transcribe(samples, options),
        (text) => text,
      ),
  };
}

function recordedReplies(model: ReplyModel, recorder: Recorder): ReplyModel {
  return {
    id: model.id,
    prepare: (prompt, language) => model.prepare?.(prompt, language),
    reply: (request) =>
      recorder.stream('reply', questionOf(request), model.reply(request), (token) => token),
  };
}

function recordedVoice(voice: VoiceModel, recorder: Recorder, isHeard: boolean): VoiceModel {
  const { id, languages, sampleRate } = voice;
  return {
    id,
    languages,
    sampleRate,
    warm: () => voice.warm(),
    close: () => voice.close(),
    speak: (utterance, options) =>
      recorder.stream('voice', utterance.text, voice.speak(utterance, options), (chunk) =>
        soundOf(chunk, isHeard),
      ),
  };
}

/** How long it sounds, and when which word; the sound itself only where the call hears it, too. */
function soundOf({ samples, words }: SpeechChunk, isHeard: boolean) {
  const pcm = isHeard && { pcm: encodeSamples(samples) };
  return { samples: samples.length, words: wordRows(words), ...pcm };
}

/** Writing takes its time, too: the end of a call waits for it. */
function recordedLog(log: CallLog, recorder: Recorder): CallLog {
  const nothing = () => undefined;
  return {
    started: () => recorder.once('log', 'started', log.started(), nothing),
    turn: (turn) => recorder.once('log', `turn ${turn.index}`, log.turn(turn), nothing),
    ended: (reason) => recorder.once('log', 'ended', log.ended(reason), nothing),
  };
}
