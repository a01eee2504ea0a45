import { SpeechCache } from '../../../../agents-runtime/output/speech-cache.js';
import { Call } from '../../../../agents-runtime/session/call.js';
import { FrameTicker } from '../../../../agents-runtime/timing/frame-ticker.js';
import { toInt16 } from '../../../../media/audio/pcm.js';
import { Resampler } from '../../../../media/audio/resampler.js';
import type { TextToSpeech } from '../../../../media/tts/text-to-speech.js';
import type { VoiceActivity } from '../../../../media/vad/voice-activity.js';
import { VirtualClient } from '../../fakes/virtual-client.js';
import { whiteNoise } from '../audio/noise.js';
import { VirtualClock } from '../audio/virtual-clock.js';
import type { ModelWork } from '../audio/virtual-clock-models.js';
import { CONFIG } from './call-harness.js';

const RATE = 16_000;
const FRAME = 320;
const FRAME_MS = 20;
/** Silence after each sentence, in milliseconds. */
const REST_MS = 1_500;
const MAX_MS = 60_000;

export interface EchoPath {
  /** Delay from the client's playout to its microphone, in milliseconds. */
  readonly delayMs: number;
  /** Level of the echo relative to the played audio, in dB. */
  readonly levelDb: number;
}

export interface EchoCallOptions {
  readonly work: ModelWork;
  readonly voice: TextToSpeech;
  readonly voiceActivity: VoiceActivity;
  /** Whether the transport reports an echo canceller. */
  readonly hasEchoCanceller: boolean;
}

/** The agent's reaction to speech or echo during a sentence. */
export interface EchoOutcome {
  readonly pauses: number;
  readonly cuts: number;
}

/**
 * A telephone line without an echo canceller on the virtual clock. Played audio returns delayed and
 * quieter, over line noise (−60 dB), and a caller may speak over it. Any speech interrupts the
 * agent.
 */
export class EchoCall {
  readonly #options: EchoCallOptions;
  readonly #clock = new VirtualClock();
  readonly #client = new VirtualClient(this.#clock);
  readonly #call: Call;
  readonly #toLine: Resampler;
  readonly #noise = whiteNoise(RATE).map((sample) => sample * 0.001 * Math.sqrt(3));
  /** All played audio, resampled to the line's rate. */
  #played: number[] = [];
  #readSamples = 0;
  #frames = 0;
  #next = '';

  constructor(options: EchoCallOptions) {
    this.#options = options;
    const { voice, voiceActivity, work, hasEchoCanceller } = options;
    this.#client.hasEchoCanceller = hasEchoCanceller;
    this.#toLine = new Resampler(this.#client.sampleRate, RATE);
    this.#call = new Call({
      config: { ...CONFIG, minInterruptionWords: 0, maxCallDurationMs: 10_000_000 },
      transport: this.#client,
      clock: this.#clock,
      ticker: new FrameTicker(this.#clock),
      voiceActivity: work.voiceActivity(voiceActivity),
      turnDetector: { completeness: async () => 1 },
      // Interruptions do not need words here; a turn without words is dropped.
      speechToText: {
        id: 'none',
        languages: ['en'],
        transcribe: async () => ({ text: '', providerId: 'none' }),
      },
      languageModel: { id: 'script', generate: () => this.#reply() },
      voice: work.voice(voice),
      speechCache: new SpeechCache(this.#clock),
      callLog: { started: nothing, turn: nothing, ended: nothing },
      onFault: (part, error) => {
        throw new Error(part, { cause: error });
      },
      onEnded: () => undefined,
    });
    this.#client.onPlayed = (ms) => this.#call.played(ms);
    this.#call.connected();
  }

  /**
   * The agent says a sentence.
   * @param caller 16 kHz speech that starts `afterMs` after the first sample of the sentence
   */
  async say(
    sentence: string,
    path: EchoPath,
    caller?: { readonly speech: Float32Array; readonly afterMs: number },
  ): Promise<EchoOutcome> {
    const controlBefore = this.#client.control.length;
    const eventsBefore = this.#client.events.length;
    const state = () => {
      const states = this.#client.events
        .slice(eventsBefore)
        .flatMap((event) => (event.type === 'state' ? [event.state] : []));
      return { begun: states.includes('speaking'), over: states.lastIndexOf('listening') >= 0 };
    };
    this.#next = sentence;
    this.#call.typed('go on');
    let spokenMs = 0;
    let restMs = 0;
    for (let ms = 0; restMs < REST_MS; ms += FRAME_MS) {
      if (ms > MAX_MS) throw new Error('The agent did not stop speaking in time');
      const { begun, over } = state();
      const at = caller ? ((spokenMs - caller.afterMs) * RATE) / 1000 : 0;
      await this.#step(
        path,
        begun && at >= 0 ? caller?.speech.subarray(at, at + FRAME) : undefined,
      );
      if (begun) spokenMs += FRAME_MS;
      const isCallerDone = !caller || at > caller.speech.length;
      if (over && isCallerDone) restMs += FRAME_MS;
    }
    const control = this.#client.control.slice(controlBefore);
    return {
      pauses: control.filter((line) => line.endsWith('pause')).length,
      cuts: control.filter((line) => line.endsWith('clear')).length,
    };
  }

  close(): void {
    this.#call.hangUp('user_hangup');
  }

  async *#reply(): AsyncGenerator<string> {
    yield this.#next;
  }

  /** Processes 20 ms of the line. */
  async #step({ delayMs, levelDb }: EchoPath, speech: Float32Array | undefined): Promise<void> {
    const { played: playedSamples } = this.#client;
    const played = Float32Array.from(
      { length: (this.#client.sampleRate * FRAME_MS) / 1000 },
      (_, i) => {
        return playedSamples[this.#readSamples + i] ?? 0;
      },
    );
    this.#readSamples = playedSamples.length;
    this.#toLine.push(played, (samples) => this.#played.push(...samples));
    const gain = 10 ** (levelDb / 20);
    const from = this.#frames * FRAME - (delayMs * RATE) / 1000;
    const frame = Float32Array.from({ length: FRAME }, (_, i) => {
      const noise = this.#noise[(this.#frames * FRAME + i) % this.#noise.length]!;
      return noise + gain * (this.#played[from + i] ?? 0) + (speech?.[i] ?? 0);
    });
    this.#frames++;
    const pcm = new Int16Array(FRAME);
    toInt16(frame, pcm);
    this.#call.audio(pcm);
    await this.#options.work.run(this.#clock, FRAME_MS);
  }
}

async function nothing(): Promise<void> {
  // This test reads no call record.
}
