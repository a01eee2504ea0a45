import type { LoggedTurn } from '../../../../agents-runtime/contract/call-log.js';
import { SpeechCache } from '../../../../agents-runtime/output/speech-cache.js';
import { Call } from '../../../../agents-runtime/session/call.js';
import { FrameTicker } from '../../../../agents-runtime/timing/frame-ticker.js';
import { concat } from '../../../../media/audio/pcm.js';
import { Resampler } from '../../../../media/audio/resampler.js';
import type { SpeechToText } from '../../../../media/stt/speech-to-text.js';
import type { TextToSpeech } from '../../../../media/tts/text-to-speech.js';
import type { VoiceActivity } from '../../../../media/vad/voice-activity.js';
import { PlayingClient } from '../../fakes/virtual-client.js';
import { VirtualClock } from '../audio/virtual-clock.js';
import type { RealWork } from '../audio/virtual-clock-models.js';
import { wordErrors } from '../audio/word-errors.js';
import { CONFIG, sleep } from './call-harness.js';
import { SENTENCES } from './echo-trial.js';

const RATE = 16_000;
const FRAME_MS = 20;
/** What a caller says to cut the agent, and how long it takes to be recognised. */
const STOP_MS = 700;
const RECOGNISED_MS = 150;
const MAX_MS = 20_000;
/** Silence around what was heard, which the recogniser wants. */
const AROUND = new Float32Array(3_200);

export interface HeardCut {
  /** How the agent was cut: by a message, or by speech, which pauses it first. */
  readonly by: 'text' | 'speech';
  /** Each way over the wire, ms. */
  readonly wayMs: number;
  /** Seconds of the answer that the client played. */
  readonly seconds: number;
  /** What the call remembers. */
  readonly committed: string;
  /** What the recogniser hears in what was played. */
  readonly heard: string;
  /** Words committed beyond those that were heard; negative: words missing. */
  readonly off: number;
}

export interface HeardTrialOptions {
  readonly work: RealWork;
  readonly voice: TextToSpeech;
  readonly recogniser: SpeechToText;
  /** Number of cuts, and of the first one. */
  readonly cuts: number;
  readonly first?: number;
}

const WAYS_MS = [0, 40, 100];

/** Cuts an agent in mid-sentence, again and again, and compares what it remembers with what was played. */
export async function tryCuts(options: HeardTrialOptions): Promise<readonly HeardCut[]> {
  const found: HeardCut[] = [];
  const { first = 0, cuts } = options;
  for (const [index, wayMs] of WAYS_MS.entries()) {
    const line = new HeardLine(options, wayMs);
    for (let i = first + index; i < first + cuts; i += WAYS_MS.length)
      found.push(await line.cut(i));
    line.close();
  }
  return found;
}

/** The answer that is cut as the `index`-th: four sentences. */
function answerOf(index: number): string {
  const from = (index * 4) % SENTENCES.length;
  return [0, 1, 2, 3].map((i) => SENTENCES[(from + i) % SENTENCES.length]).join(' ');
}

/** One call on the virtual clock whose agent never gets to the end of what it says. */
class HeardLine {
  readonly #options: HeardTrialOptions;
  readonly #wayMs: number;
  readonly #clock = new VirtualClock();
  readonly #client: PlayingClient;
  readonly #call: Call;
  readonly #agentTurns: LoggedTurn[] = [];
  #answer = '';

  constructor(options: HeardTrialOptions, wayMs: number) {
    this.#options = options;
    this.#wayMs = wayMs;
    this.#client = new PlayingClient(this.#clock, wayMs);
    const { work, voice } = options;
    this.#call = new Call({
      config: { ...CONFIG, maxCallDurationMs: 10_000_000 },
      transport: this.#client,
      clock: this.#clock,
      ticker: new FrameTicker(this.#clock),
      voiceActivity: loudness,
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
      log: {
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

  async cut(index: number): Promise<HeardCut> {
    this.#answer = answerOf(index);
    const from = this.#client.heard.length;
    this.#call.typed('Tell me more.');
    await this.#until(() => this.#client.heard.length > from);
    // Anywhere in the first 6 s, evenly.
    await this.#pass(400 + ((index * 1_327) % 5_600));
    const turnsBefore = this.#agentTurns.length;
    const by = index % 2 === 0 ? 'text' : 'speech';
    // Said to the interruption, and over before the next answer.
    this.#answer = 'Okay.';
    const clears = this.#client.clearedAt.length;
    if (by === 'text') this.#call.typed('Stop it now.');
    else await this.#pass(STOP_MS, 0.3);
    await this.#until(() => this.#client.clearedAt.length > clears);
    await this.#until(() => this.#agentTurns.length > turnsBefore, 500);
    const committed = this.#agentTurns[turnsBefore]?.text ?? '';
    const played = this.#client.heard.slice(from, this.#client.clearedAt[clears]);
    const heard = await this.#transcribe(played);
    await this.#pass(4_000);
    const seconds = played.length / this.#client.sampleRate;
    const off = wordsOff(answerOf(index), committed, heard);
    return { by, wayMs: this.#wayMs, seconds, committed, heard, off };
  }

  close(): void {
    this.#call.hangUp('user_hangup');
  }

  async *#reply(): AsyncGenerator<string> {
    yield this.#answer;
  }

  async #transcribe(played: readonly number[]): Promise<string> {
    const parts: Float32Array[] = [AROUND];
    const keep = (part: Float32Array) => parts.push(part.slice());
    const resampler = new Resampler(this.#client.sampleRate, RATE);
    resampler.push(Float32Array.from(played), keep);
    resampler.flush(keep);
    const audio = concat(Float32Array, [...parts, AROUND]);
    return (await this.#options.recogniser.transcribe(audio, { priority: 'turn' })).text;
  }

  async #pass(ms: number, level = 0): Promise<void> {
    for (let passed = 0; passed < ms; passed += FRAME_MS) {
      this.#call.audio(new Int16Array((RATE * FRAME_MS) / 1000).fill(level * 32767));
      await this.#options.work.run(this.#clock, FRAME_MS);
    }
  }

  async #until(isSo: () => boolean, atMostMs?: number): Promise<void> {
    for (let ms = 0; !isSo(); ms += FRAME_MS) {
      if (ms > (atMostMs ?? MAX_MS)) {
        if (atMostMs !== undefined) return;
        throw new Error('What is waited for does not happen');
      }
      await this.#pass(FRAME_MS);
    }
  }
}

/** Whoever is loud speaks. */
const loudness: VoiceActivity = {
  open: (onWindow) => ({
    push: (window) => onWindow(window.some((sample) => sample > 0.1) ? 0.95 : 0.02),
    close: () => undefined,
  }),
};

/** By how many words what is remembered differs from the part of the answer that was heard. */
export function wordsOff(answer: string, committed: string, heard: string): number {
  const words = answer.split(' ');
  const remembered = committed.split(' ').filter(Boolean).length;
  let best = { errors: Number.POSITIVE_INFINITY, off: 0 };
  for (let count = 0; count <= words.length; count++) {
    const { errors } = wordErrors(words.slice(0, count).join(' '), heard);
    const off = remembered - count;
    // A word that was heard by half may be written as another one: both ends are right then.
    const isNearer = errors === best.errors && Math.abs(off) < Math.abs(best.off);
    if (errors < best.errors || isNearer) best = { errors, off };
  }
  return best.off;
}
