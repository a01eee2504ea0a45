import { Greetings } from '../../../agents-runtime/agent/greetings.js';
import { FrameTicker } from '../../../agents-runtime/audio/frame-ticker.js';
import { Call } from '../../../agents-runtime/call/call.js';
import { CONFIG } from '../call-harness.js';
import { PlayingClient, VOICE_RATE } from '../playing-client.js';
import { VirtualClock } from '../virtual-clock.js';
import { type RealEars, replayedActivity } from './real-ears.js';
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

/** A real call on a virtual clock that hears a take through the real models; the agent never answers. */
export async function hearTake(
  take: Take,
  probabilities: readonly number[],
  ears: RealEars,
  settings: EndingSettings,
): Promise<Outcome> {
  const clock = new VirtualClock();
  const transport = new PlayingClient(clock);
  const faults: unknown[] = [];
  const texts: string[] = [];
  const call = new Call({
    config: { ...CONFIG, ...settings, greeting: take.turn.asked ?? '', userSilenceTimeoutMs: 1e6 },
    transport,
    clock,
    ticker: new FrameTicker(clock),
    voiceActivity: replayedActivity(probabilities),
    turnModel: ears.turnModelOn(clock),
    recogniser: ears.recogniserOn(clock),
    replyModel: silentModel(texts),
    voice: shortVoice,
    greetings: new Greetings(),
    log: {
      started: async () => undefined,
      turn: async () => undefined,
      ended: async () => undefined,
    },
    onFault: (part, error) => {
      if (part === 'recogniser' || part === 'turn-model') faults.push(error);
    },
    onEnded: () => undefined,
  });
  transport.onPlayed = (ms) => call.played(ms);
  const run = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await clock.run(STEP_MS, STEP_MS);
      await ears.settled();
    }
  };
  call.connected();
  await run(800);

  const startedAt = clock.now();
  const commits: number[] = [];
  let seen = transport.events.length;
  const samples = Int16Array.from(take.samples, (sample) =>
    Math.round(Math.max(-1, Math.min(1, sample)) * 32_767),
  );
  const endMs = (take.endSample * 1000) / RATE;
  for (let at = 0; at + FRAME <= samples.length; at += FRAME) {
    call.audio(samples.subarray(at, at + FRAME));
    // A packet holds what was said before it was sent.
    for (let passed = 0; passed < FRAME_MS; passed += STEP_MS) {
      for (const event of transport.events.slice(seen)) {
        if (event.type === 'state' && event.state === 'thinking') {
          commits.push(clock.now() - startedAt + FRAME_MS - endMs);
        }
      }
      seen = transport.events.length;
      await run(STEP_MS);
    }
  }
  call.hangUp('user_hangup');
  await clock.run(100);
  if (faults.length > 0) throw faults[0];
  return { commits, texts };
}

/** Notes what it is asked and says nothing until it is stopped. */
function silentModel(texts: string[]) {
  return {
    id: 'silent',
    async *reply({
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
