import type { AgentConfig } from '../../../../agents-runtime/contract/agent-config.js';
import { SpeechCache } from '../../../../agents-runtime/output/speech-cache.js';
import { Call } from '../../../../agents-runtime/session/call.js';
import { FrameTicker } from '../../../../agents-runtime/timing/frame-ticker.js';
import type { VoiceActivity } from '../../../../media/vad/voice-activity.js';
import { VirtualClient, VOICE_RATE } from '../../fakes/virtual-client.js';
import { VirtualClock } from '../audio/virtual-clock.js';
import { CONFIG } from '../call/call-harness.js';
import { type RealSpeechModels, replayedActivity } from './real-models.js';
import { RATE, type Take } from './takes.js';

/** Agent settings that affect the end of a turn, in milliseconds. */
export interface EndpointingSettings {
  readonly minSilenceMs: number;
  readonly minEndpointingMs: number;
  readonly maxEndpointingMs: number;
}

/** Commit times in ms after the end of speech; a negative time interrupts the caller. */
export interface Outcome {
  readonly commits: readonly number[];
  readonly texts: readonly string[];
}

const FRAME = 320;
const FRAME_MS = 20;
const STEP_MS = 5;

/** A real call on a virtual clock with the real speech models. The agent never answers. */
export class EndpointingCall {
  readonly clock = new VirtualClock();
  /** The user texts sent to the LLM, speculatively or at a commit. */
  readonly texts: string[] = [];
  readonly faults: unknown[] = [];
  readonly call: Call;
  /** Clock times of the commits. */
  readonly commits: number[] = [];
  readonly #transport = new VirtualClient(this.clock);
  readonly #models: RealSpeechModels;
  #seen = 0;
  #state = 'listening';

  constructor(
    models: RealSpeechModels,
    voiceActivity: VoiceActivity,
    config: Partial<AgentConfig>,
  ) {
    this.#models = models;
    const { clock, texts } = this;
    this.call = new Call({
      config: { ...CONFIG, userSilenceTimeoutMs: 1e6, ...config },
      transport: this.#transport,
      clock,
      ticker: new FrameTicker(clock),
      voiceActivity,
      turnDetector: models.turnModelOn(clock),
      speechToText: models.recogniserOn(clock),
      languageModel: silentModel(texts),
      voice: shortVoice,
      speechCache: new SpeechCache(this.clock),
      callLog: {
        started: async () => undefined,
        turn: async () => undefined,
        ended: async () => undefined,
      },
      onFault: (part, error) => {
        if (part === 'recogniser' || part === 'turn-model') this.faults.push(error);
      },
      onEnded: () => undefined,
    });
    this.#transport.onPlayed = (ms) => this.call.played(ms);
  }

  /** Connects and waits for the end of the greeting. */
  async begin(): Promise<void> {
    this.call.connected();
    await this.run(800);
  }

  /** Advances the clock and waits for the models. */
  async run(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await this.clock.run(STEP_MS, STEP_MS);
      await this.#models.settled();
      this.#readEvents();
    }
  }

  /** Sends samples in packets of 20 ms by the clock; packets with `isLost` are silent. */
  async sendAudio(samples: Float32Array, isLost: (packet: number) => boolean = () => false) {
    for (let at = 0, packet = 0; at + FRAME <= samples.length; at += FRAME, packet++) {
      this.push(isLost(packet) ? new Float32Array(FRAME) : samples.subarray(at, at + FRAME));
      await this.run(FRAME_MS);
    }
  }

  /** Sends samples at once. */
  push(samples: Float32Array): void {
    this.call.audio(
      Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 32_767)),
    );
  }

  async end(): Promise<void> {
    this.call.hangUp('user_hangup');
    await this.clock.run(100);
    if (this.faults.length > 0) throw this.faults[0];
  }

  #readEvents(): void {
    const { events } = this.#transport;
    for (; this.#seen < events.length; this.#seen++) {
      const event = events[this.#seen]!;
      if (event.type !== 'state') continue;
      // After a filler the state returns to `thinking`: that is not a new turn.
      const isCommit = event.state === 'thinking' && this.#state !== 'speaking';
      if (isCommit) this.commits.push(this.clock.now());
      this.#state = event.state;
    }
  }
}

/** Runs a take through a call. */
export async function runTake(
  take: Take,
  probabilities: readonly number[],
  models: RealSpeechModels,
  settings: EndpointingSettings,
): Promise<Outcome> {
  const greeting = take.turn.question ?? '';
  const spoken = new EndpointingCall(models, replayedActivity(probabilities), {
    ...settings,
    greeting,
  });
  await spoken.begin();
  const startedAt = spoken.clock.now();
  // A packet contains speech from before it was sent.
  const endedAt = startedAt - FRAME_MS + (take.endSample * 1000) / RATE;
  const isOver = () => (spoken.commits.at(-1) ?? 0) > endedAt;
  for (let at = 0; at < take.samples.length && !isOver(); at += FRAME) {
    await spoken.sendAudio(take.samples.subarray(at, at + FRAME));
  }
  await spoken.end();
  return { commits: spoken.commits.map((at) => at - endedAt), texts: spoken.texts };
}

/** Records the user texts and returns nothing until it is aborted. */
function silentModel(texts: string[]) {
  return {
    id: 'silent',
    async *generate({
      history,
      signal,
    }: {
      history: readonly { text: string }[];
      signal: AbortSignal;
    }) {
      texts.push(history.at(-1)?.text ?? '');
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      yield* [];
    },
  };
}

/** Speaks any text within 100 ms. */
const shortVoice = {
  id: 'short',
  languages: ['en'],
  sampleRate: VOICE_RATE,
  warm: async () => undefined,
  close: async () => undefined,
  async *speak({ text }: { readonly text: string }) {
    const words = [{ textStart: 0, textEnd: text.length, startSample: 0, endSample: 2400 }];
    yield { samples: new Float32Array(2400), words };
  },
};
