import { SpeechCache } from '../../../../agents-runtime/output/speech-cache.js';
import { Call } from '../../../../agents-runtime/session/call.js';
import { FrameTicker } from '../../../../agents-runtime/timing/frame-ticker.js';
import { toInt16 } from '../../../../media/audio/pcm.js';
import { Resampler } from '../../../../media/audio/resampler.js';
import type { TextToSpeech } from '../../../../media/tts/text-to-speech.js';
import type { VoiceActivity } from '../../../../media/vad/voice-activity.js';
import { PlayingClient } from '../../fakes/virtual-client.js';
import { whiteNoise } from '../audio/noise.js';
import { VirtualClock } from '../audio/virtual-clock.js';
import type { RealWork } from '../audio/virtual-clock-models.js';
import { CONFIG } from './call-harness.js';

const RATE = 16_000;
const FRAME = 320;
const FRAME_MS = 20;
/** After each sentence both are silent for so long. */
const REST_MS = 1_500;
const MAX_MS = 60_000;

export interface EchoPath {
  /** From the playing client back to us, ms. */
  readonly delayMs: number;
  /** Below what was played. */
  readonly levelDb: number;
}

export interface EchoLineOptions {
  readonly work: RealWork;
  readonly voice: TextToSpeech;
  readonly voiceActivity: VoiceActivity;
  /** Whether the wire says of itself that nothing comes back. */
  readonly hasEchoCanceller: boolean;
}

/** What became of a sentence that the agent said. */
export interface SaidOverEcho {
  readonly pauses: number;
  readonly cuts: number;
}

/**
 * A telephone line without an echo canceller, on the virtual clock: what the client plays comes back
 * late and quieter, over the noise of the line (−60 dB), and somebody may speak over it. The agent is
 * cut by any speech.
 */
export class EchoLine {
  readonly #options: EchoLineOptions;
  readonly #clock = new VirtualClock();
  readonly #client = new PlayingClient(this.#clock);
  readonly #call: Call;
  readonly #toLine: Resampler;
  readonly #noise = whiteNoise(RATE).map((sample) => sample * 0.001 * Math.sqrt(3));
  /** All that was played, as the line has it. */
  #played: number[] = [];
  #heard = 0;
  #frames = 0;
  #next = '';

  constructor(options: EchoLineOptions) {
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
      // What is said here is only to be noticed: a turn without words is dropped.
      speechToText: {
        id: 'none',
        languages: ['en'],
        transcribe: async () => ({ text: '', providerId: 'none' }),
      },
      languageModel: { id: 'script', generate: () => this.#reply() },
      voice: work.voice(voice),
      speechCache: new SpeechCache(this.#clock),
      log: { started: nothing, turn: nothing, ended: nothing },
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
   * @param caller what somebody says over it (16 kHz), from so many ms after its first sample on.
   */
  async say(
    sentence: string,
    path: EchoPath,
    caller?: { readonly speech: Float32Array; readonly afterMs: number },
  ): Promise<SaidOverEcho> {
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
      if (ms > MAX_MS) throw new Error('The agent does not come to an end');
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

  /** 20 ms of the line. */
  async #step({ delayMs, levelDb }: EchoPath, speech: Float32Array | undefined): Promise<void> {
    const { heard } = this.#client;
    const played = Float32Array.from(
      { length: (this.#client.sampleRate * FRAME_MS) / 1000 },
      (_, i) => {
        return heard[this.#heard + i] ?? 0;
      },
    );
    this.#heard = heard.length;
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
  // Nobody reads this call's record.
}
