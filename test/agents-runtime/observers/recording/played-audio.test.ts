import { describe, expect, it } from 'vitest';
import { CallRecorder } from '../../../../agents-runtime/observers/recording/call-recorder.js';
import type { HarnessOptions } from '../../../support/harness/call/call-harness.js';
import {
  MemorySink,
  recordedHarness,
  type TimedSample,
} from '../../../support/harness/call/recorded-call-harness.js';

/** Of where it was heard, for any sample. Source: the issue. */
const TOLERANCE_MS = 20;
const LONG_REPLY = 'Here is a long answer that goes on and on and on and says a great many words.';

async function* longReply() {
  yield LONG_REPLY;
}

type Kit = ReturnType<typeof recordedHarness>;

/** By value, as some are heard twice. */
function byValue(samples: readonly TimedSample[]): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (const { value, atMs } of samples) {
    if (value === 0) continue;
    found.set(value, [...(found.get(value) ?? []), atMs]);
  }
  return found;
}

/** How far the worst is from where it belongs, and how many are missing or too many. */
function compare(kit: Kit) {
  const heard = byValue(kit.heard);
  const recorded = byValue(kit.recorded());
  let worstMs = 0;
  let missing = 0;
  let surplus = 0;
  for (const [value, times] of heard) {
    const found = recorded.get(value) ?? [];
    missing += Math.max(0, times.length - found.length);
    for (const atMs of found) {
      worstMs = Math.max(worstMs, Math.min(...times.map((time) => Math.abs(time - atMs))));
    }
  }
  for (const [value, times] of recorded) {
    surplus += Math.max(0, times.length - (heard.get(value)?.length ?? 0));
  }
  return { count: kit.heard.length, worstMs, missing, surplus };
}

/** @param slackMs of sound that may be missing or too much, at the cuts */
function expectAsHeard(kit: Kit, slackMs = 0): void {
  const { count, worstMs, missing, surplus } = compare(kit);
  expect(count).toBeGreaterThan(24_000);
  expect(worstMs).toBeLessThanOrEqual(TOLERANCE_MS);
  expect(missing).toBeLessThanOrEqual(slackMs * 24);
  expect(surplus).toBeLessThanOrEqual(slackMs * 24);
}

async function begun(options: HarnessOptions): Promise<Kit> {
  const kit = recordedHarness({ reply: longReply, ...options });
  kit.call.connected();
  await kit.silence(500);
  await kit.say('hello', 800);
  await kit.silence(1500);
  return kit;
}

const WAYS = [0, 60, 150];

describe('the agent, as recorded', () => {
  it.each(WAYS)('is where it was heard, %i ms away', async (wayMs) => {
    const kit = await begun({ networkDelayMs: wayMs });
    await kit.silence(2500);
    kit.call.hangUp('user_hangup');
    await kit.clock.run(200);
    // What it still hears after the end belongs to no recording.
    expectAsHeard(kit, 2 * wayMs);
  });

  it.each(WAYS)(
    'is silent while it holds, and goes on where it was heard to, %i ms away',
    async (wayMs) => {
      const kit = await begun({ networkDelayMs: wayMs });
      await kit.cough(300);
      await kit.silence(3000);
      expect(kit.control()).toEqual(['pause', 'resume']);
      expectAsHeard(kit, 20);
    },
  );

  it.each(WAYS)('ends where it was cut, %i ms away', async (wayMs) => {
    const kit = await begun({ networkDelayMs: wayMs });
    await kit.say('stop now please', 900);
    await kit.silence(3500);
    expect(kit.control()).toContain('clear');
    expectAsHeard(kit, 20);
  });

  it.each(WAYS)('is heard again on a wire that cannot pause, %i ms away', async (wayMs) => {
    const kit = await begun({ networkDelayMs: wayMs, canPause: false });
    await kit.cough(300);
    await kit.silence(3000);
    expect(kit.control()).toEqual(['clear']);
    expectAsHeard(kit, 20);
  });

  it('goes on over another socket after the first broke', async () => {
    const kit = await begun({});
    await kit.disconnect(1500);
    await kit.silence(3000);
    expectAsHeard(kit, 20);
  });

  it('that was cut while the socket was broken is not heard to the end', async () => {
    const kit = await begun({});
    kit.transport.isDisconnected = true;
    kit.call.lost();
    await kit.say('stop now please', 900);
    await kit.silence(600);
    kit.transport.isDisconnected = false;
    kit.call.regained(kit.transport.receivedMs, (fromMs) => kit.transport.skipTo(fromMs));
    await kit.silence(3000);
    expectAsHeard(kit, 20);
  });
});

describe('a recording', () => {
  it('begins when media is connected and ends when it is closed', async () => {
    const kit = recordedHarness();
    await kit.clock.run(700);
    kit.call.connected();
    await kit.silence(1000);
    kit.call.hangUp('user_hangup');
    await kit.clock.run(100);
    expect(kit.sink.durationMs).toBeGreaterThanOrEqual(1000);
    expect(kit.sink.durationMs).toBeLessThan(1100);
    expect(kit.clock.pending).toBeLessThanOrEqual(2); // the client's own and the test's
  });

  it('of a call that was never connected has no length', async () => {
    const kit = recordedHarness();
    kit.call.hangUp('error_transport');
    await kit.clock.run(100);
    expect(kit.sink.durationMs).toBe(0);
    expect(kit.sink.chunks).toEqual([]);
  });

  it('is handed on as it goes, but for less than a second', async () => {
    const kit = await begun({});
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

describe('a clock that steps back', () => {
  it('costs a recording no more than the moment in which it does so', () => {
    let nowMs = 1_000;
    const sink = new MemorySink();
    const recorder = new CallRecorder({ sampleRate: 24_000, sink });
    recorder.input({ type: 'connected' }, nowMs);
    for (let frame = 0; frame < 200; frame++) {
      nowMs += frame === 100 ? -5_000 : 20;
      recorder.input({ type: 'audio', samples: new Int16Array(320).fill(frame + 1) }, nowMs);
    }
    recorder.output({ type: 'close' }, nowMs);
    const sound = sink.of('caller').flatMap(({ samples }) => [...samples]);
    expect(sound.length).toBeGreaterThanOrEqual(199 * 320);
    expect(sound).toEqual([...sound].sort((a, b) => a - b));
    expect(sink.durationMs).toBe(199 * 20);
  });
});
