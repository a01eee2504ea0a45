import { describe, expect, it } from 'vitest';
import { CallRecorder } from '../../../../agents-runtime/observers/recording/call-recorder.js';
import type { HarnessOptions } from '../../../support/harness/call/call-harness.js';
import {
  MemorySink,
  recordedHarness,
  type TimedSample,
} from '../../../support/harness/call/recorded-call-harness.js';

/** Tolerance for the position of any sample. */
const TOLERANCE_MS = 20;
const LONG_REPLY = 'Here is a long answer that goes on and on and on and says a great many words.';

async function* longReply() {
  yield LONG_REPLY;
}

type Kit = ReturnType<typeof recordedHarness>;

/** Times by sample value, because some samples are played twice. */
function byValue(samples: readonly TimedSample[]): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (const { value, atMs } of samples) {
    if (value === 0) continue;
    found.set(value, [...(found.get(value) ?? []), atMs]);
  }
  return found;
}

/** The largest time difference, and the numbers of missing and additional samples. */
function compare(kit: Kit) {
  const playedTimes = byValue(kit.playedSamples);
  const recorded = byValue(kit.recorded());
  let worstMs = 0;
  let missing = 0;
  let surplus = 0;
  for (const [value, times] of playedTimes) {
    const found = recorded.get(value) ?? [];
    missing += Math.max(0, times.length - found.length);
    for (const atMs of found) {
      worstMs = Math.max(worstMs, Math.min(...times.map((time) => Math.abs(time - atMs))));
    }
  }
  for (const [value, times] of recorded) {
    surplus += Math.max(0, times.length - (playedTimes.get(value)?.length ?? 0));
  }
  return { count: kit.playedSamples.length, worstMs, missing, surplus };
}

/** @param slackMs duration of audio that may be missing or additional at the interruptions */
function expectAsPlayed(kit: Kit, slackMs = 0): void {
  const { count, worstMs, missing, surplus } = compare(kit);
  expect(count).toBeGreaterThan(24_000);
  expect(worstMs).toBeLessThanOrEqual(TOLERANCE_MS);
  expect(missing).toBeLessThanOrEqual(slackMs * 24);
  expect(surplus).toBeLessThanOrEqual(slackMs * 24);
}

async function startCall(options: HarnessOptions): Promise<Kit> {
  const kit = recordedHarness({ reply: longReply, ...options });
  kit.call.connected();
  await kit.silence(500);
  await kit.say('hello', 800);
  await kit.silence(1500);
  return kit;
}

const NETWORK_DELAYS_MS = [0, 60, 150];

describe('recorded agent audio', () => {
  it.each(NETWORK_DELAYS_MS)(
    'is at the times of its playback with a network delay of %i ms',
    async (networkDelayMs) => {
      const kit = await startCall({ networkDelayMs });
      await kit.silence(2500);
      kit.call.hangUp('user_hangup');
      await kit.clock.run(200);
      // Audio played after the end of the call is not recorded.
      expectAsPlayed(kit, 2 * networkDelayMs);
    },
  );

  it.each(NETWORK_DELAYS_MS)(
    'is silent during a pause and continues at the playhead with a network delay of %i ms',
    async (networkDelayMs) => {
      const kit = await startCall({ networkDelayMs });
      await kit.cough(300);
      await kit.silence(3000);
      expect(kit.control()).toEqual(['pause', 'resume']);
      expectAsPlayed(kit, 20);
    },
  );

  it.each(NETWORK_DELAYS_MS)(
    'ends at an interruption with a network delay of %i ms',
    async (networkDelayMs) => {
      const kit = await startCall({ networkDelayMs });
      await kit.say('stop now please', 900);
      await kit.silence(3500);
      expect(kit.control()).toContain('clear');
      expectAsPlayed(kit, 20);
    },
  );

  it.each(NETWORK_DELAYS_MS)(
    'repeats audio that a transport without pause plays again with a network delay of %i ms',
    async (networkDelayMs) => {
      const kit = await startCall({ networkDelayMs, canPause: false });
      await kit.cough(300);
      await kit.silence(3000);
      expect(kit.control()).toEqual(['clear']);
      expectAsPlayed(kit, 20);
    },
  );

  it('continues over a new socket', async () => {
    const kit = await startCall({});
    await kit.disconnect(1500);
    await kit.silence(3000);
    expectAsPlayed(kit, 20);
  });

  it('stops at an interruption during a disconnection', async () => {
    const kit = await startCall({});
    kit.transport.isDisconnected = true;
    kit.call.lost();
    await kit.say('stop now please', 900);
    await kit.silence(600);
    kit.transport.isDisconnected = false;
    kit.call.regained(kit.transport.receivedMs, (fromMs) => kit.transport.skipTo(fromMs));
    await kit.silence(3000);
    expectAsPlayed(kit, 20);
  });
});

describe('recording', () => {
  it('starts when media is connected and ends when it is closed', async () => {
    const kit = recordedHarness();
    await kit.clock.run(700);
    kit.call.connected();
    await kit.silence(1000);
    kit.call.hangUp('user_hangup');
    await kit.clock.run(100);
    expect(kit.sink.durationMs).toBeGreaterThanOrEqual(1000);
    expect(kit.sink.durationMs).toBeLessThan(1100);
    expect(kit.clock.pending).toBeLessThanOrEqual(2); // one of the client and one of the test
  });

  it('of a call that was never connected has no duration', async () => {
    const kit = recordedHarness();
    kit.call.hangUp('error_transport');
    await kit.clock.run(100);
    expect(kit.sink.durationMs).toBe(0);
    expect(kit.sink.chunks).toEqual([]);
  });

  it('is written during the call, at most one second late', async () => {
    const kit = await startCall({});
    const endMs = Math.max(
      ...kit.sink.of('caller').map(({ at, samples }) => (at + samples.length) / 16),
    );
    expect(kit.clock.now() - endMs).toBeLessThan(800);
    const spokenMs = Math.max(
      ...kit.sink.of('agent').map(({ at, samples }) => (at + samples.length) / 24),
    );
    expect(kit.clock.now() - spokenMs).toBeLessThan(800);
  });
});

describe('clock that steps back', () => {
  it('affects a recording only at that moment', () => {
    let nowMs = 1_000;
    const sink = new MemorySink();
    const recorder = new CallRecorder({ sampleRate: 24_000, sink });
    recorder.input({ type: 'connected' }, nowMs);
    for (let frame = 0; frame < 200; frame++) {
      nowMs += frame === 100 ? -5_000 : 20;
      recorder.input({ type: 'audio', samples: new Int16Array(320).fill(frame + 1) }, nowMs);
    }
    recorder.output({ type: 'close' }, nowMs);
    const callerSamples = sink.of('caller').flatMap(({ samples }) => [...samples]);
    expect(callerSamples.length).toBeGreaterThanOrEqual(199 * 320);
    expect(callerSamples).toEqual([...callerSamples].sort((a, b) => a - b));
    expect(sink.durationMs).toBe(199 * 20);
  });
});
