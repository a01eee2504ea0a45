import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createGzip } from 'node:zlib';
import type { AgentConfig } from '../../../agents-runtime/contract/agent-config.js';
import type { LanguageModel } from '../../../agents-runtime/contract/language-model.js';
import type { CallInput } from '../../../agents-runtime/contract/transport.js';
import type { ReplaySink } from '../../../agents-runtime/observers/replay/replay-format.js';
import { ReplayRecorder } from '../../../agents-runtime/observers/replay/replay-recorder.js';
import { VirtualClock } from '../../../agents-runtime/observers/replay/virtual-clock.js';
import { SpeechCache } from '../../../agents-runtime/output/speech-cache.js';
import { Call } from '../../../agents-runtime/session/call.js';
import type { CallDependencies } from '../../../agents-runtime/session/call-dependencies.js';
import { FrameTicker } from '../../../agents-runtime/timing/frame-ticker.js';
import { concat } from '../../../media/audio/pcm.js';
import type {
  SpeakOptions,
  SynthesisRequest,
  TextToSpeech,
} from '../../../media/tts/text-to-speech.js';
import type { VoiceActivity } from '../../../media/vad/voice-activity.js';
import type { ListeningModels } from '../../../src/calls/providers/listening-models.js';
import { cough } from '../corpora/spoken-questions.js';
import { VirtualClient } from '../fakes/virtual-client.js';
import { CONFIG, sleep } from '../harness/call/call-harness.js';

const RATE = 16_000;
const FRAME_MS = 20;
const FRAME = (RATE * FRAME_MS) / 1000;
/** Durations in a recorded scene in milliseconds, as on an idle machine. */
const DURATIONS_MS = {
  window: 2,
  turn: 45,
  transcript: 90,
  token: 40,
  firstSound: 60,
  sound: 20,
  way: 20,
};
/** Peak of the room noise as a 16-bit sample value: about −70 dB. */
const ROOM = 10;

export interface RecordingModels {
  readonly speechModels: ListeningModels;
  /** The agent's voice. */
  readonly voice: TextToSpeech;
  /** Synthesises the caller's speech at 16 kHz. */
  readonly say: (text: string) => Promise<Float32Array<ArrayBuffer>>;
}

/**
 * Records a scene with the real engine and models on a virtual clock, independent of the machine's
 * speed.
 */
export class Scene {
  readonly time = new VirtualClock();
  readonly #parts: RecordingModels;
  readonly #client: VirtualClient;
  readonly #call: CallInput;
  readonly #noise = noise(1);
  #waiting = new Float32Array(0);
  #isOver = false;

  constructor(
    parts: RecordingModels,
    sink: ReplaySink,
    replies: readonly string[],
    config: Partial<AgentConfig>,
  ) {
    const { time } = this;
    this.#parts = parts;
    this.#client = new VirtualClient(time, DURATIONS_MS.way);
    const dependencies: CallDependencies = {
      ...withDurations(parts, time),
      config: { ...CONFIG, ...config },
      transport: this.#client,
      clock: time,
      ticker: new FrameTicker(time),
      languageModel: scripted(time, replies),
      speechCache: new SpeechCache(time),
      callLog: {
        started: async () => undefined,
        turn: async () => undefined,
        ended: async () => undefined,
      },
      onFault: (part, error) => {
        throw new Error(`${part} failed while recording`, { cause: error });
      },
      onEnded: () => {
        this.#isOver = true;
      },
    };
    const observers = [new ReplayRecorder(dependencies, sink)];
    this.#call = new Call({ ...dependencies, observers });
    this.#client.onPlayed = (ms) => this.#call.played(ms);
  }

  async begin(): Promise<void> {
    this.#call.connected();
    await this.silence(300);
  }

  /** The caller speaks; resolves after the last sample. */
  async say(text: string): Promise<void> {
    await this.sendAudio(trimmed(await this.#parts.say(text)));
  }

  /** Speech for the VAD without words. */
  async cough(): Promise<void> {
    await this.sendAudio(cough());
  }

  async sendAudio(samples: Float32Array<ArrayBuffer>): Promise<void> {
    this.#waiting = concat(Float32Array, [this.#waiting, samples]);
    while (this.#waiting.length > 0) await this.#frame();
  }

  async silence(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += FRAME_MS) await this.#frame();
  }

  /** Waits until the agent has this state, then for `thenMs`. */
  async until(state: 'listening' | 'speaking', thenMs = 0): Promise<void> {
    const shown = () => this.#client.events.findLast((event) => event.type === 'state')?.state;
    for (let frames = 0; shown() !== state; frames++) {
      if (frames > 1_000) throw new Error(`The agent is ${shown()} and not ${state} after 20 s`);
      await this.#frame();
    }
    await this.silence(thenMs);
  }

  /** Disconnects the transport for `ms`. */
  async disconnect(ms: number): Promise<void> {
    this.#client.isDisconnected = true;
    this.#call.lost();
    await this.time.runTo(this.time.now() + ms);
    this.#client.isDisconnected = false;
    this.#call.regained(this.#client.receivedMs, (fromMs) => this.#client.skipTo(fromMs));
  }

  async hangUp(): Promise<void> {
    this.#call.hangUp('user_hangup');
    await this.time.runTo(this.time.now() + 500);
    if (!this.#isOver) throw new Error('The call did not end');
  }

  async #frame(): Promise<void> {
    const pcm = new Int16Array(FRAME);
    for (let i = 0; i < FRAME; i++) {
      const sample = 32_768 * (this.#waiting[i] ?? 0) + ROOM * this.#noise();
      pcm[i] = Math.max(-32_768, Math.min(32_767, Math.round(sample)));
    }
    this.#waiting = this.#waiting.slice(FRAME);
    await this.time.runTo(this.time.now() + FRAME_MS);
    this.#call.audio(pcm);
  }
}

/** Records a compressed replay file; resolves when it is complete. */
export async function recordCompressed(
  path: string,
  record: (sink: ReplaySink) => Promise<void>,
): Promise<void> {
  const gzip = createGzip({ level: 9 });
  const file = gzip.pipe(createWriteStream(path));
  await record({
    write: (line) => void gzip.write(`${JSON.stringify(line)}\n`),
    end: () => void gzip.end(),
  });
  if (!file.closed) await once(file, 'close');
}

/** The models with the durations above. */
function withDurations({ speechModels, voice }: RecordingModels, time: VirtualClock) {
  return {
    voiceActivity: delayedVad(speechModels.voiceActivity, time),
    turnDetector: {
      completeness: (samples: Float32Array) =>
        time.later(DURATIONS_MS.turn, speechModels.turnDetector.completeness(samples)),
    },
    speechToText: {
      id: speechModels.speechToText.id,
      languages: speechModels.speechToText.languages,
      transcribe: (samples, { priority }) =>
        time.later(
          DURATIONS_MS.transcript,
          speechModels.speechToText.transcribe(samples, { priority }),
        ),
    },
    voice: {
      id: voice.id,
      languages: voice.languages,
      sampleRate: voice.sampleRate,
      warm: async () => undefined,
      close: async () => undefined,
      async *speak(utterance: SynthesisRequest, options: SpeakOptions) {
        const chunks = voice.speak(utterance, options);
        for (let first = true; ; first = false) {
          const next = await time.later(
            first ? DURATIONS_MS.firstSound : DURATIONS_MS.sound,
            chunks.next(),
          );
          if (next.done) return;
          yield next.value;
        }
      },
    },
  } satisfies Partial<CallDependencies>;
}

function delayedVad(voiceActivity: VoiceActivity, time: VirtualClock): VoiceActivity {
  return {
    open(onWindow) {
      const waiting: ((probability: number) => void)[] = [];
      const line = voiceActivity.open((probability) => waiting.shift()?.(probability));
      return {
        push(window) {
          const judged = new Promise<number>((resolve) => waiting.push(resolve));
          line.push(window);
          void time.later(DURATIONS_MS.window, judged).then(onWindow);
        },
        close() {
          line.close();
          // Windows without a result never get one after the close.
          for (const judge of waiting.splice(0)) judge(0);
        },
      };
    },
  };
}

/** Returns one text per turn, word by word. */
function scripted(time: VirtualClock, replies: readonly string[]): LanguageModel {
  const byQuestion = new Map<string, string>();
  return {
    id: 'script',
    async *generate({ history }) {
      // A speculative reply and the reply at the commit of the same turn are equal.
      const turns = String(history.length);
      const text = byQuestion.get(turns) ?? replies[byQuestion.size] ?? 'I see.';
      byQuestion.set(turns, text);
      for (const token of text.match(/\s*\S+/g) ?? []) {
        await sleep(time, DURATIONS_MS.token);
        yield token;
      }
    },
  };
}

function trimmed(samples: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  const isLoud = (sample: number) => Math.abs(sample) > 0.01;
  return samples.slice(samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1);
}

/** Reproducible noise, −1…1. Source: mulberry32. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1;
  };
}
