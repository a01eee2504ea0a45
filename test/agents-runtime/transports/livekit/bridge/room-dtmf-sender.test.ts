import { expect, it } from 'vitest';
import { RoomDtmfSender } from '../../../../../agents-runtime/transports/livekit/bridge/room-dtmf-sender.js';
import { VirtualClock } from '../../../../support/harness/audio/virtual-clock.js';

function setUp(press?: () => Promise<void>) {
  const clock = new VirtualClock();
  const pressed: string[] = [];
  const keys = new RoomDtmfSender(clock, async (code, digit) => {
    pressed.push(`${clock.now()} ms: ${code} ${digit}`);
    await press?.();
  });
  return { clock, pressed, keys };
}

it('keys are sent by their codes, one after the other, including those added meanwhile', () => {
  const { clock, pressed, keys } = setUp();
  keys.press('0*');
  keys.press('#D');
  clock.advance(10_000);
  keys.press('9');
  expect(pressed).toEqual([
    '0 ms: 0 0',
    '300 ms: 10 *',
    '600 ms: 11 #',
    '900 ms: 15 d',
    '10000 ms: 9 9',
  ]);
});

it('keys are limited to one minute, stop at the end, and continue after one fails', () => {
  const { clock, pressed, keys } = setUp(() => Promise.reject(new Error('no room')));
  keys.press('1'.repeat(10_000));
  clock.advance(60_000);
  expect(pressed).toHaveLength(128);
  keys.press('23');
  keys.close();
  clock.advance(60_000);
  expect(pressed).toHaveLength(129);
});
