import type { LoggedTurn } from '../../../../agents-runtime/contract/call-log.js';
import { SpeechCache } from '../../../../agents-runtime/output/speech-cache.js';
import { Call } from '../../../../agents-runtime/session/call.js';
import { FrameTicker } from '../../../../agents-runtime/timing/frame-ticker.js';
import { concat } from '../../../../media/audio/pcm.js';
import { Resampler } from '../../../../media/audio/resampler.js';
import type { SpeechToText } from '../../../../media/stt/speech-to-text.js';
import type { TextToSpeech } from '../../../../media/tts/text-to-speech.js';
import type { VoiceActivity } from '../../../../media/vad/voice-activity.js';
import { VirtualClient } from '../../fakes/virtual-client.js';
import { VirtualClock } from '../audio/virtual-clock.js';
import type { ModelWork } from '../audio/virtual-clock-models.js';
import { wordErrors } from '../audio/word-errors.js';
import { CONFIG, sleep } from './call-harness.js';
import { SENTENCES } from './echo-trial.js';

const RATE = 16_000;
const FRAME_MS = 20;
/** Duration of the caller's interruption, and of its recognition. */
const STOP_MS = 700;
const RECOGNISED_MS = 150;
const MAX_MS = 20_000;
/** Silence added around the played audio, which speech recognition needs. */
const SURROUNDING_SILENCE = new Float32Array(3_200);

export interface InterruptionResult {
  /** What interrupts the agent: a text message, or speech, which pauses the agent first. */
  readonly by: 'text' | 'speech';
  /** Network delay in each direction, in milliseconds. */
  readonly networkDelayMs: number;
  /** Seconds of the answer that the client played. */
  readonly seconds: number;
  /** The text that the call keeps in its history. */
  readonly committed: string;
  /** The transcript of the played audio. */
  readonly playedTranscript: string;
  /** Committed words minus played words; negative if words are missing. */
  readonly extraWords: number;
}

export interface InterruptionTrialOptions {
  readonly work: ModelWork;
  readonly voice: TextToSpeech;
  readonly recogniser: SpeechToText;
  /** Number of interruptions; `first` is the index of the first one. */
  readonly cuts: number;
  readonly first?: number;
}

const NETWORK_DELAYS_MS = [0, 40, 100];

/**
 * Interrupts an agent repeatedly in mid-sentence and compares its history with the played audio.
 */
export async function runInterruptions(
  options: InterruptionTrialOptions,
): Promise<readonly InterruptionResult[]> {
  const found: InterruptionResult[] = [];
  const { first = 0, cuts } = options;
  for (const [index, networkDelayMs] of NETWORK_DELAYS_MS.entries()) {
    const call = new InterruptionCall(options, networkDelayMs);
    for (let i = first + index; i < first + cuts; i += NETWORK_DELAYS_MS.length)
      found.push(await call.cut(i));
    call.close();
  }
  return found;
}

/** The agent's answer to interrupt: four sentences. */
function answerOf(index: number): string {
  const from = (index * 4) % SENTENCES.length;
  return [0, 1, 2, 3].map((i) => SENTENCES[(from + i) % SENTENCES.length]).join(' ');
}

/** One call on the virtual clock whose agent is interrupted in every answer. */
class InterruptionCall {
  readonly #options: InterruptionTrialOptions;
  readonly #networkDelayMs: number;
  readonly #clock = new VirtualClock();
  readonly #client: VirtualClient;
  readonly #call: Call;
  readonly #agentTurns: LoggedTurn[] = [];
  #answer = '';

  constructor(options: InterruptionTrialOptions, networkDelayMs: number) {
    this.#options = options;
    this.#networkDelayMs = networkDelayMs;
    this.#client = new VirtualClient(this.#clock, networkDelayMs);
    const { work, voice } = options;
    this.#call = new Call({
      config: { ...CONFIG, maxCallDurationMs: 10_000_000 },
      transport: this.#client,
      clock: this.#clock,
      ticker: new FrameTicker(this.#clock),
      voiceActivity: amplitudeVad,
      turnDetector: { completeness: async () => 1 },
      speechToText: {
        id: 'script',
        languages: ['en'],
        transcribe: async () => {
          await sleep(this.#clock, RECOGNISED_MS);
          return { text: 'Stop it now.', providerId: 'script' };
        },
      },
      languageModel: { id: 'script', generate: () => this.#reply() },
      voice: work.voice(voice),
      speechCache: new SpeechCache(this.#clock),
      callLog: {
        started: async () => undefined,
        turn: async (turn) => {
          if (turn.role === 'agent') this.#agentTurns.push(turn);
        },
        ended: async () => undefined,
      },
      onFault: (part, error) => {
        throw new Error(part, { cause: error });
      },
      onEnded: () => undefined,
    });
    this.#client.onPlayed = (ms) => this.#call.played(ms);
    this.#call.connected();
  }

  async cut(index: number): Promise<InterruptionResult> {
    this.#answer = answerOf(index);
    const from = this.#client.played.length;
    this.#call.typed('Tell me more.');
    await this.#until(() => this.#client.played.length > from);
    // Interruption times are spread evenly over 400–6,000 ms.
    await this.#advance(400 + ((index * 1_327) % 5_600));
    const turnsBefore = this.#agentTurns.length;
    const by = index % 2 === 0 ? 'text' : 'speech';
    // The answer to the interruption, which ends before the next trial.
    this.#answer = 'Okay.';
    const clears = this.#client.clearedAt.length;
    if (by === 'text') this.#call.typed('Stop it now.');
    else await this.#advance(STOP_MS, 0.3);
    await this.#until(() => this.#client.clearedAt.length > clears);
    await this.#until(() => this.#agentTurns.length > turnsBefore, 500);
    const committed = this.#agentTurns[turnsBefore]?.text ?? '';
    const played = this.#client.played.slice(from, this.#client.clearedAt[clears]);
    const playedTranscript = await this.#transcribe(played);
    await this.#advance(4_000);
    const seconds = played.length / this.#client.sampleRate;
    const extraWords = countExtraWords(answerOf(index), committed, playedTranscript);
    return {
      by,
      networkDelayMs: this.#networkDelayMs,
      seconds,
      committed,
      playedTranscript,
      extraWords,
    };
  }

  close(): void {
    this.#call.hangUp('user_hangup');
  }

  async *#reply(): AsyncGenerator<string> {
    yield this.#answer;
  }

  async #transcribe(played: readonly number[]): Promise<string> {
    const parts: Float32Array[] = [SURROUNDING_SILENCE];
    const keep = (part: Float32Array) => parts.push(part.slice());
    const resampler = new Resampler(this.#client.sampleRate, RATE);
    resampler.push(Float32Array.from(played), keep);
    resampler.flush(keep);
    const audio = concat(Float32Array, [...parts, SURROUNDING_SILENCE]);
    return (await this.#options.recogniser.transcribe(audio, { priority: 'turn' })).text;
  }

  async #advance(ms: number, level = 0): Promise<void> {
    for (let passed = 0; passed < ms; passed += FRAME_MS) {
      this.#call.audio(new Int16Array((RATE * FRAME_MS) / 1000).fill(level * 32767));
      await this.#options.work.run(this.#clock, FRAME_MS);
    }
  }

  async #until(isSo: () => boolean, atMostMs?: number): Promise<void> {
    for (let ms = 0; !isSo(); ms += FRAME_MS) {
      if (ms > (atMostMs ?? MAX_MS)) {
        if (atMostMs !== undefined) return;
        throw new Error('The condition did not become true in time');
      }
      await this.#advance(FRAME_MS);
    }
  }
}

/** Treats loud audio as speech. */
const amplitudeVad: VoiceActivity = {
  open: (onWindow) => ({
    push: (window) => onWindow(window.some((sample) => sample > 0.1) ? 0.95 : 0.02),
    close: () => undefined,
  }),
};

/** Number of words by which the history exceeds the played part of the answer. */
export function countExtraWords(
  answer: string,
  committed: string,
  playedTranscript: string,
): number {
  const words = answer.split(' ');
  const remembered = committed.split(' ').filter(Boolean).length;
  let best = { errors: Number.POSITIVE_INFINITY, extraWords: 0 };
  for (let count = 0; count <= words.length; count++) {
    const { errors } = wordErrors(words.slice(0, count).join(' '), playedTranscript);
    const extraWords = remembered - count;
    // A word that was played by half may be transcribed as another word; then both counts are right.
    const isNearer = errors === best.errors && Math.abs(extraWords) < Math.abs(best.extraWords);
    if (errors < best.errors || isNearer) best = { errors, extraWords };
  }
  return best.extraWords;
}
