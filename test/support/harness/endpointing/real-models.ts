import { createHash } from 'node:crypto';
import type { Clock } from '../../../../agents-runtime/contract/clock.js';
import type { CpuScheduler } from '../../../../media/runtime/cpu-scheduler.js';
import { MoonshineSpeechToText } from '../../../../media/stt/moonshine-speech-to-text.js';
import type { SpeechToText } from '../../../../media/stt/speech-to-text.js';
import { SmartTurn } from '../../../../media/turn-detection/smart-turn.js';
import type { TurnDetector } from '../../../../media/turn-detection/turn-detector.js';
import { SileroVoiceActivity } from '../../../../media/vad/silero-voice-activity.js';
import { VAD_WINDOW, type VoiceActivity } from '../../../../media/vad/voice-activity.js';
import { modelFolder } from '../process/model-folder.js';

/**
 * Duration of the models' work on the virtual clock, in milliseconds: measured values, rounded up.
 */
const TURN_MODEL_MS = 50;
const RECOGNISER_MS = 40;
const RECOGNISER_MS_PER_SECOND = 20;

/**
 * Real speech models for calls on a virtual clock. Results are computed with the models, cached per
 * audio, and delivered after a fixed time of the call's clock.
 */
export class RealSpeechModels {
  readonly #vad: SileroVoiceActivity;
  readonly #turnDetector: SmartTurn;
  readonly #recogniser: MoonshineSpeechToText;
  readonly #answers = new Map<string, Promise<number | string>>();
  readonly #open = new Set<Promise<unknown>>();
  /** Number of turn model requests, including cached ones. */
  turnModelRequests = 0;

  constructor(scheduler: CpuScheduler) {
    this.#vad = new SileroVoiceActivity({
      folder: modelFolder('silero-vad'),
      onFault: (error) => {
        throw error;
      },
    });
    this.#turnDetector = new SmartTurn({ folder: modelFolder('smart-turn-v3.2'), scheduler });
    const id = 'moonshine-tiny-en';
    this.#recogniser = new MoonshineSpeechToText({ id, folder: modelFolder(id), scheduler });
  }

  /** Speech probabilities of a recording, window by window. */
  probabilities(samples: Float32Array): Promise<readonly number[]> {
    const windows = Math.floor(samples.length / VAD_WINDOW);
    return new Promise((resolve) => {
      const windowProbabilities: number[] = [];
      const stream = this.#vad.open((probability) => {
        if (windowProbabilities.push(probability) < windows) return push();
        stream.close();
        resolve(windowProbabilities);
      });
      // At most 100 pending windows: the VAD drops windows beyond its queue limit.
      let pushed = 0;
      const push = () => {
        while (pushed < windows && pushed - windowProbabilities.length < 100) {
          stream.push(samples.subarray(pushed * VAD_WINDOW, ++pushed * VAD_WINDOW));
        }
      };
      push();
    });
  }

  completeness(samples: Float32Array): Promise<number> {
    this.turnModelRequests++;
    return this.#once('turn', samples, () => this.#turnDetector.completeness(samples));
  }

  transcribe(samples: Float32Array): Promise<string> {
    return this.#once('text', samples, async () => {
      const options = { priority: 'final-transcript' } as const;
      return (await this.#recogniser.transcribe(samples, options)).text;
    });
  }

  turnModelOn(clock: Clock): TurnDetector {
    return {
      completeness: (samples) => this.#arriving(clock, TURN_MODEL_MS, this.completeness(samples)),
    };
  }

  /**
   * Final transcripts only: interim transcripts do not affect the end of a turn and would take
   * minutes.
   */
  recogniserOn(clock: Clock): SpeechToText {
    return {
      id: this.#recogniser.id,
      languages: this.#recogniser.languages,
      transcribe: async (samples, { priority }) => {
        const providerId = this.#recogniser.id;
        if (priority !== 'final-transcript') return { text: '', providerId };
        const ms = RECOGNISER_MS + (RECOGNISER_MS_PER_SECOND * samples.length) / 16_000;
        const text = await this.#arriving(clock, ms, this.transcribe(samples));
        return { text, providerId };
      },
    };
  }

  /** The VAD itself, for audio whose probabilities were not computed before. */
  voiceActivity(): VoiceActivity {
    return {
      open: (onWindow) => {
        const waiting: (() => void)[] = [];
        const stream = this.#vad.open((probability) => {
          waiting.shift()?.();
          onWindow(probability);
        });
        return {
          push: (window) => {
            const answered = new Promise<void>((resolve) => waiting.push(resolve));
            this.#open.add(answered);
            void answered.then(() => this.#open.delete(answered));
            stream.push(window);
          },
          close: () => {
            stream.close();
            for (const resolve of waiting) resolve();
          },
        };
      },
    };
  }

  /** Resolves when no model is working, so that the clock may advance. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  async close(): Promise<void> {
    await Promise.all(
      [this.#vad, this.#turnDetector, this.#recogniser].map((part) => part.close()),
    );
  }

  #arriving<T>(clock: Clock, ms: number, answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      clock.after(ms, () => answer.then(resolve, reject));
    });
  }

  #once<T extends number | string>(
    model: string,
    samples: Float32Array,
    ask: () => Promise<T>,
  ): Promise<T> {
    const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
    const key = `${model} ${createHash('sha1').update(bytes).digest('hex')}`;
    const kept = this.#answers.get(key) as Promise<T> | undefined;
    if (kept) return kept;
    const answer = ask();
    this.#answers.set(key, answer);
    this.#open.add(answer);
    void answer.catch(() => undefined).finally(() => this.#open.delete(answer));
    return answer;
  }
}

/** A VAD that replays stored probabilities synchronously, window by window. */
export function replayedActivity(probabilities: readonly number[]): VoiceActivity {
  return {
    open: (onWindow) => {
      let window = 0;
      return {
        push: () => onWindow(probabilities[window++] ?? 0),
        close: () => undefined,
      };
    },
  };
}
