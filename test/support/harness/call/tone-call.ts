import { CallRecorder } from '../../../../agents-runtime/observers/recording/call-recorder.js';
import type { RecordingSink } from '../../../../agents-runtime/observers/recording/recording-sink.js';
import { PlaybackTimeline } from '../../../../agents-runtime/output/playback-timeline.js';
import { VirtualClock } from '../audio/virtual-clock.js';

const CALLER_HZ = 440;
const AGENT_HZ = 1_000;
const TONE_MS = 200;
const FRAME_MS = 20;
const REPORT_MS = 100;
/** The client starts playback this long after the first audio of an utterance, in milliseconds. */
const CLIENT_BUFFER_MS = 60;
const VOICE_RATE = 24_000;

export interface ToneCallOptions {
  readonly sink: RecordingSink;
  readonly durationMs: number;
  /**
   * Interval of the tones in each leg, in ms. The caller's start with each period, the agent's in
   * its middle.
   */
  readonly everyMs: number;
  /** Speed of the client's sound card relative to the gateway's clock, in parts per million. */
  readonly drift?: number;
  /** Maximum delay of packets in ms; reports are delayed by at most half as much. */
  readonly jitterMs?: number;
}

/**
 * Start times of the tones in ms of the recording, as precise as the gateway can determine them.
 */
export interface ToneTimes {
  readonly caller: readonly number[];
  readonly agent: readonly number[];
}

/**
 * A call of tones on a virtual clock, through a recorder. Its client has a sound card with a
 * separate clock, and a network that delays packets and reports without reordering them.
 */
export function runToneCall(options: ToneCallOptions): ToneTimes {
  const { sink, durationMs, everyMs, drift = 0, jitterMs = 0 } = options;
  const clock = new VirtualClock();
  const speed = 1 + drift / 1e6;
  const recorder = new CallRecorder({ sampleRate: VOICE_RATE, sink });
  const frameLength = (VOICE_RATE * FRAME_MS) / 1000;
  const timeline = new PlaybackTimeline({
    clock,
    frameLength,
    onPlayed: (startMs, samples) => recorder.played({ startMs, samples }),
  });
  const late = randomDelay(jitterMs);
  const times = { caller: [] as number[], agent: [] as number[] };

  recorder.input({ type: 'connected' }, clock.now());
  const packets = orderedDelay(clock, late);
  const reports = orderedDelay(clock, () => late() / 2);
  let sentMs = 0;
  const speak = (at: number) => {
    const samples = tone(AGENT_HZ, VOICE_RATE, TONE_MS);
    for (let from = 0; from < samples.length; from += frameLength) {
      timeline.sent(samples.subarray(from, from + frameLength));
    }
    const heardAt = at + CLIENT_BUFFER_MS;
    times.agent.push(heardAt);
    for (let playedMs = 5; playedMs < TONE_MS + REPORT_MS; playedMs += REPORT_MS) {
      const played = Math.min(playedMs, TONE_MS);
      const position = sentMs + played;
      reports(heardAt + played / speed, () => timeline.reported(position, false));
    }
    sentMs += TONE_MS;
  };
  for (let at = everyMs; at + TONE_MS <= durationMs; at += everyMs) times.caller.push(at);
  let nextSpeechAt = everyMs / 2;
  for (let frame = 1; (frame * FRAME_MS) / speed <= durationMs; frame++) {
    const spokenAt = (frame * FRAME_MS) / speed;
    packets(spokenAt, () =>
      recorder.input({ type: 'audio', samples: callerFrame(frame, everyMs, speed) }, clock.now()),
    );
    if (spokenAt >= nextSpeechAt && nextSpeechAt + 2 * TONE_MS <= durationMs) {
      const at = nextSpeechAt;
      nextSpeechAt += everyMs;
      clock.after(at - clock.now(), () => speak(at));
    }
    clock.advance(Math.max(0, spokenAt - clock.now()));
  }
  clock.advance(durationMs - clock.now());
  timeline.publishRemaining();
  recorder.output({ type: 'close' }, clock.now());
  return times;
}

/** Tones of 200 ms, in samples of a sound card that runs at another speed. */
function callerFrame(frame: number, everyMs: number, speed: number): Int16Array {
  const length = (16_000 * FRAME_MS) / 1000;
  const samples = new Int16Array(length);
  for (let i = 0; i < length; i++) {
    const index = (frame - 1) * length + i;
    const ms = index / 16 / speed;
    if (ms < everyMs || ms % everyMs >= TONE_MS) continue;
    samples[i] = 12_000 * Math.sin((2 * Math.PI * CALLER_HZ * index) / 16_000);
  }
  return samples;
}

function tone(hz: number, rate: number, ms: number): Float32Array {
  return Float32Array.from(
    { length: (rate * ms) / 1000 },
    (_, i) => 0.4 * Math.sin((2 * Math.PI * hz * i) / rate),
  );
}

/** Delays deliveries and preserves their order. */
function orderedDelay(
  clock: VirtualClock,
  late: () => number,
): (atMs: number, act: () => void) => void {
  let last = 0;
  return (atMs, act) => {
    last = Math.max(last, atMs + late());
    clock.after(last - clock.now(), act);
  };
}

/** Random delays, the same in each run; short delays are more frequent. */
function randomDelay(mostMs: number): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return mostMs * (state / 2_147_483_647) ** 2;
  };
}
