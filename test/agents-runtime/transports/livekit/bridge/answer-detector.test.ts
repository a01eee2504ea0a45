import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { AnswerDetector } from '../../../../../agents-runtime/transports/livekit/bridge/answer-detector.js';
import { VirtualClock } from '../../../../support/harness/audio/virtual-clock.js';

const RINGING = { 'sip.phoneNumber': '+15550111', 'sip.callStatus': 'ringing' };
const ACTIVE = { ...RINGING, 'sip.callStatus': 'active' };

function setUp(attributes: Readonly<Record<string, string>>) {
  const clock = new VirtualClock();
  const toldAt: number[] = [];
  let take: () => void = () => undefined;
  const subscribed = new Promise<void>((resolve) => {
    take = resolve;
  });
  const onOpen = () => toldAt.push(clock.now());
  const ear = new AnswerDetector({ clock, attributes, subscribed, onOpen });
  return { clock, toldAt, take, ear };
}

it('a call is answered when the phone is active and has subscribed to the track, in either order', async () => {
  for (const isTakenFirst of [true, false]) {
    const { clock, toldAt, take, ear } = setUp({ ...RINGING, 'sip.callStatus': 'dialing' });
    ear.changed(RINGING);
    clock.advance(500);
    if (isTakenFirst) take();
    else ear.changed(ACTIVE);
    await setImmediate();
    clock.advance(500);
    expect(toldAt).toEqual([]);
    if (isTakenFirst) ear.changed(ACTIVE);
    else take();
    await setImmediate();
    ear.changed({ ...ACTIVE, 'sip.callStatus': 'hangup' });
    clock.advance(60_000);
    expect(toldAt).toEqual([1_000]);
  }
});

it('without a call status, only the subscription is awaited, for 2 s', async () => {
  const { clock, toldAt } = setUp({ 'sip.phoneNumber': '+15550111' });
  clock.advance(60_000);
  await setImmediate();
  expect(toldAt).toEqual([2_000]);
});

it('the wait ends after 15 s, and nothing is reported after the call', () => {
  const long = setUp(RINGING);
  long.ear.changed({ ...RINGING, lang: 'de' });
  long.clock.advance(60_000);
  expect(long.toldAt).toEqual([15_000]);
  const over = setUp(RINGING);
  over.ear.close();
  over.ear.changed(ACTIVE);
  over.clock.advance(60_000);
  expect(over.toldAt).toEqual([]);
});
