import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { AnswerDetector } from '../../../../../agents-runtime/transports/livekit/bridge/answer-detector.js';
import { VirtualClock } from '../../../../support/harness/audio/virtual-clock.js';

const RINGING = { 'sip.phoneNumber': '+15550111', 'sip.callStatus': 'ringing' };
const ACTIVE = { ...RINGING, 'sip.callStatus': 'active' };

function setUp(attributes: Readonly<Record<string, string>>) {
  const clock = new VirtualClock();
  const reportedAt: number[] = [];
  let subscribe: () => void = () => undefined;
  const subscribed = new Promise<void>((resolve) => {
    subscribe = resolve;
  });
  const onOpen = () => reportedAt.push(clock.now());
  const detector = new AnswerDetector({ clock, attributes, subscribed, onOpen });
  return { clock, reportedAt, subscribe, detector };
}

it('a call is answered when the phone is active and has subscribed to the track, in either order', async () => {
  for (const isTakenFirst of [true, false]) {
    const { clock, reportedAt, subscribe, detector } = setUp({
      ...RINGING,
      'sip.callStatus': 'dialing',
    });
    detector.changed(RINGING);
    clock.advance(500);
    if (isTakenFirst) subscribe();
    else detector.changed(ACTIVE);
    await setImmediate();
    clock.advance(500);
    expect(reportedAt).toEqual([]);
    if (isTakenFirst) detector.changed(ACTIVE);
    else subscribe();
    await setImmediate();
    detector.changed({ ...ACTIVE, 'sip.callStatus': 'hangup' });
    clock.advance(60_000);
    expect(reportedAt).toEqual([1_000]);
  }
});

it('without a call status, only the subscription is awaited, for 2 s', async () => {
  const { clock, reportedAt } = setUp({ 'sip.phoneNumber': '+15550111' });
  clock.advance(60_000);
  await setImmediate();
  expect(reportedAt).toEqual([2_000]);
});

it('the wait ends after 15 s, and nothing is reported after the call', () => {
  const long = setUp(RINGING);
  long.detector.changed({ ...RINGING, lang: 'de' });
  long.clock.advance(60_000);
  expect(long.reportedAt).toEqual([15_000]);
  const over = setUp(RINGING);
  over.detector.close();
  over.detector.changed(ACTIVE);
  over.clock.advance(60_000);
  expect(over.reportedAt).toEqual([]);
});
