import { expect, it } from 'vitest';
import { DtmfCollector } from '../../../agents-runtime/transports/dtmf-collector.js';
import { VirtualClock } from '../../support/harness/audio/virtual-clock.js';

function keypad() {
  const clock = new VirtualClock();
  const typed: string[] = [];
  return { clock, typed, keys: new DtmfCollector(clock, (text) => typed.push(text)) };
}

it('keys are reported together after a pause, or immediately at #', () => {
  const { clock, typed, keys } = keypad();
  for (const key of '123') {
    keys.press(key);
    clock.advance(800);
  }
  expect(typed).toEqual([]);
  clock.advance(500);
  expect(typed).toEqual(['Keypad input: 123']);
  keys.press('7');
  keys.press('#');
  expect(typed.at(-1)).toBe('Keypad input: 7#');
  expect(clock.pending).toBe(0);
});

it('a key that is both detected and signalled counts once, and tone detection is off afterwards', () => {
  const { clock, typed, keys } = keypad();
  keys.detected('5');
  clock.advance(100);
  keys.press('5');
  keys.detected('5');
  clock.advance(2_000);
  expect(typed).toEqual(['Keypad input: 5']);
});

it('the number of keys is limited and other characters are ignored', () => {
  const { clock, typed, keys } = keypad();
  for (let i = 0; i < 200; i++) keys.press('1');
  for (const other of ['', 'x', '12', '\u0000']) keys.press(other);
  clock.advance(2_000);
  expect(typed.map((text) => text.length - 'Keypad input: '.length)).toEqual([64, 64, 64, 8]);
  keys.press('1');
  keys.close();
  expect(clock.pending).toBe(0);
});
