import { setTimeout as pause, setImmediate as settled } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Transport } from '../../../agents-runtime/contract/transport.js';
import { LEAD_MS } from '../../../agents-runtime/output/playhead.js';
import { SpeechCache } from '../../../agents-runtime/output/speech-cache.js';
import { Call } from '../../../agents-runtime/session/call.js';
import type { CallDependencies } from '../../../agents-runtime/session/call-dependencies.js';
import { FRAME_MS, FrameTicker } from '../../../agents-runtime/timing/frame-ticker.js';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import type { TextToSpeech } from '../../../media/tts/text-to-speech.js';
import { CONFIG } from '../../support/harness/call/call-harness.js';
import { FaultyPorts } from './faulty-ports.js';

const CALLS = 20;
const RATE = 24_000;
/** Periods with and without faulty calls alternate, so that other load affects both equally. */
const PERIODS = 12;
const FRAMES_A_PERIOD = 30;
/** Frames until a faulty call is replaced, so that something fails all the time. */
const FAULTY_FRAMES = 5;
const MAX_DIFFERENCE_MS = FRAME_MS;

/** A voice that speaks without end. */
const voice: TextToSpeech = {
  id: 'endless',
  languages: ['en'],
  sampleRate: RATE,
  warm: async () => undefined,
  close: async () => undefined,
  async *speak(_, { signal }) {
    while (!signal.aborted) {
      await settled();
      yield { samples: new Float32Array(RATE / 10).fill(0.1), words: [] };
    }
  },
};

const ignore = () => undefined;

class CountingTransport implements Transport {
  readonly sampleRate = RATE;
  readonly hasEchoCanceller = true;
  readonly canPause = true;
  readonly callerDelayMs = 0;
  readonly backlogBytes = 0;
  sentMs = 0;

  sendAudio(samples: Float32Array): void {
    this.sentMs += (samples.length * 1000) / RATE;
  }

  readonly pause = ignore;
  readonly resumeFrom = ignore;
  readonly clear = ignore;
  readonly send = ignore;
  readonly close = ignore;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

it('faulty calls do not delay the frames of 20 other calls', async () => {
  let frames = 0;
  let isFaulty = false;
  const lateMs = { alone: [] as number[], beside: [] as number[] };
  const ticker = new FrameTicker(systemClock, (late) => {
    frames++;
    (isFaulty ? lateMs.beside : lateMs.alone).push(late);
  });
  const faults: string[] = [];
  const partsOf = (transport: Transport): CallDependencies => ({
    config: { ...CONFIG, userSilenceTimeoutMs: 0 },
    transport,
    clock: systemClock,
    ticker,
    voiceActivity: {
      open: (onWindow) => ({ push: () => onWindow(0.02), close: () => undefined }),
    },
    turnDetector: { completeness: async () => 1 },
    speechToText: {
      id: 'none',
      languages: ['en'],
      transcribe: async () => ({ text: '', providerId: 'none' }),
    },
    languageModel: {
      id: 'script',
      async *generate() {
        yield 'This sentence has no end.';
      },
    },
    voice,
    speechCache: new SpeechCache(systemClock),
    callLog: {
      started: async () => ignore(),
      turn: async () => ignore(),
      ended: async () => ignore(),
    },
    onFault: (part, error) => faults.push(`${part}: ${String(error)}`),
    onEnded: ignore,
  });

  const healthy = Array.from({ length: CALLS }, () => new CountingTransport());
  const calls = healthy.map((transport) => new Call(partsOf(transport)));
  const microphone = new Int16Array(320);
  for (const call of calls) {
    call.connected();
    call.typed('tell me');
  }
  const feed = ticker.join(() => {
    for (const call of calls) call.audio(microphone);
  });

  /** Runs calls whose ports all fail, one after another. */
  const fail = () => {
    const ports = new FaultyPorts(Math.random, 0.3);
    let faulty: Call | undefined;
    let age = 0;
    let startedCalls = 0;
    return {
      leg: ticker.join(() => {
        if (age++ % FAULTY_FRAMES === 0) {
          faulty?.hangUp('operator_ended');
          startedCalls++;
          const parts = partsOf(new CountingTransport());
          faulty = new Call({
            ...ports.around({ ...parts, onFault: () => undefined }),
            voiceActivity: parts.voiceActivity,
          });
          faulty.connected();
          faulty.typed('tell me');
        }
        faulty?.audio(microphone);
      }),
      end: () => faulty?.hangUp('operator_ended'),
      startedCalls: () => startedCalls,
    };
  };

  // The start-up is not measured.
  await expect.poll(() => frames, { timeout: 20_000, interval: 5 }).toBeGreaterThan(50);
  lateMs.alone.length = 0;
  const startedAt = systemClock.now();
  const sentBefore = healthy.map(({ sentMs }) => sentMs);
  let startedCalls = 0;
  for (let period = 0; period < PERIODS; period++) {
    isFaulty = period % 2 === 1;
    const faulty = isFaulty ? fail() : undefined;
    const until = frames + FRAMES_A_PERIOD;
    await expect.poll(() => frames, { timeout: 20_000, interval: 5 }).toBeGreaterThan(until);
    faulty?.leg.cancel();
    faulty?.end();
    startedCalls += faulty?.startedCalls() ?? 0;
    await pause(0);
  }
  const passedMs = systemClock.now() - startedAt;
  feed.cancel();
  const sentMs = healthy.map((transport, i) => transport.sentMs - sentBefore[i]!);
  for (const call of calls) call.hangUp('operator_ended');

  const at = (share: number) => ({
    alone: percentile(lateMs.alone, share),
    beside: percentile(lateMs.beside, share),
  });
  const p99 = at(0.99);
  process.stdout.write(
    `p99 frame lateness of ${CALLS} calls: ${p99.alone.toFixed(1)} ms; ` +
      `while one call after another fails (${startedCalls}): ${p99.beside.toFixed(1)} ms\n`,
  );
  expect(startedCalls).toBeGreaterThan(PERIODS);
  expect(faults).toEqual([]);
  // The two latest of 180 frames depend more on the machine than on the calls.
  const p50 = at(0.5);
  expect(p50.beside - p50.alone).toBeLessThanOrEqual(MAX_DIFFERENCE_MS);
  // No call ran out of audio.
  for (const ms of sentMs) expect(ms).toBeGreaterThan(passedMs - LEAD_MS);
}, 60_000);
