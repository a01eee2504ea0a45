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

it('is there when the telephone is active and has taken the track, whichever comes first', async () => {
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

it('waits for no status where none is told, and 2 s for the track', async () => {
  const { clock, toldAt } = setUp({ 'sip.phoneNumber': '+15550111' });
  clock.advance(60_000);
  await setImmediate();
  expect(toldAt).toEqual([2_000]);
});

it('is not waited for longer than 15 s, and not after the call', () => {
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
