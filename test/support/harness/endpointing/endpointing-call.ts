import type { AgentConfig } from '../../../../agents-runtime/contract/agent-config.js';
import { SpeechCache } from '../../../../agents-runtime/output/speech-cache.js';
import { Call } from '../../../../agents-runtime/session/call.js';
import { FrameTicker } from '../../../../agents-runtime/timing/frame-ticker.js';
import type { VoiceActivity } from '../../../../media/vad/voice-activity.js';
import { PlayingClient, VOICE_RATE } from '../../fakes/virtual-client.js';
import { VirtualClock } from '../audio/virtual-clock.js';
import { CONFIG } from '../call/call-harness.js';
import { type RealEars, replayedActivity } from './real-models.js';
import { RATE, type Take } from './takes.js';

/** The settings of the agent that matter for the end of a turn, in ms. */
export interface EndingSettings {
  readonly minSilenceMs: number;
  readonly minEndpointingMs: number;
  readonly maxEndpointingMs: number;
}

/** When turns were committed, in ms after the take's true end; below 0 the caller was cut off. */
export interface Outcome {
  readonly commits: readonly number[];
  readonly texts: readonly string[];
}

const FRAME = 320;
const FRAME_MS = 20;
const STEP_MS = 5;

/** A real call on a virtual clock with the real models as its ears; the agent never answers. */
export class SpokenCall {
  readonly clock = new VirtualClock();
  /** What the agent was asked, ahead of its turn or at it. */
  readonly texts: string[] = [];
  readonly faults: unknown[] = [];
  readonly call: Call;
  /** Clock times at which a turn was committed. */
  readonly commits: number[] = [];
  readonly #transport = new PlayingClient(this.clock);
  readonly #ears: RealEars;
  #seen = 0;
  #state = 'listening';

  constructor(ears: RealEars, voiceActivity: VoiceActivity, config: Partial<AgentConfig>) {
    this.#ears = ears;
    const { clock, texts } = this;
    this.call = new Call({
      config: { ...CONFIG, userSilenceTimeoutMs: 1e6, ...config },
      transport: this.#transport,
      clock,
      ticker: new FrameTicker(clock),
      voiceActivity,
      turnDetector: ears.turnModelOn(clock),
      speechToText: ears.recogniserOn(clock),
      languageModel: silentModel(texts),
      voice: shortVoice,
      speechCache: new SpeechCache(this.clock),
      log: {
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

  /** Connects and lets the greeting be played. */
  async begin(): Promise<void> {
    this.call.connected();
    await this.run(800);
  }

  /** Lets time pass, as far as the models keep up. */
  async run(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await this.clock.run(STEP_MS, STEP_MS);
      await this.#ears.settled();
      this.#look();
    }
  }

  /** Sends samples in packets of 20 ms by the clock; `isLost` packets are silent. */
  async hear(samples: Float32Array, isLost: (packet: number) => boolean = () => false) {
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

  #look(): void {
    const { events } = this.#transport;
    for (; this.#seen < events.length; this.#seen++) {
      const event = events[this.#seen]!;
      if (event.type !== 'state') continue;
      // After a filler the agent thinks on: that is no other turn.
      const isCommit = event.state === 'thinking' && this.#state !== 'speaking';
      if (isCommit) this.commits.push(this.clock.now());
      this.#state = event.state;
    }
  }
}

/** What the engine makes of a take. */
export async function hearTake(
  take: Take,
  probabilities: readonly number[],
  ears: RealEars,
  settings: EndingSettings,
): Promise<Outcome> {
  const greeting = take.turn.asked ?? '';
  const spoken = new SpokenCall(ears, replayedActivity(probabilities), { ...settings, greeting });
  await spoken.begin();
  const startedAt = spoken.clock.now();
  // A packet holds what was said before it was sent.
  const endedAt = startedAt - FRAME_MS + (take.endSample * 1000) / RATE;
  const isOver = () => (spoken.commits.at(-1) ?? 0) > endedAt;
  for (let at = 0; at < take.samples.length && !isOver(); at += FRAME) {
    await spoken.hear(take.samples.subarray(at, at + FRAME));
  }
  await spoken.end();
  return { commits: spoken.commits.map((at) => at - endedAt), texts: spoken.texts };
}

/** Notes what it is asked and says nothing until it is stopped. */
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

/** Says any question within 100 ms. */
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
