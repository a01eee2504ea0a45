import { expect, it } from 'vitest';
import { runInSteps, runToEnd, type SteppedTask } from '../../../media/async/cooperative.js';

function* counting(steps: number, log: string[]): SteppedTask<number> {
  for (let step = 0; step < steps; step++) {
    log.push('step');
    yield;
  }
  return steps;
}

it('work is done in steps with pauses for other tasks', async () => {
  const log: string[] = [];
  const done = runInSteps(counting(3, log));
  const others = setInterval(() => log.push('other'), 0);
  setImmediate(() => log.push('other'));
  expect(await done).toBe(3);
  clearInterval(others);
  expect(log.filter((entry) => entry === 'step').length).toBe(3);
  expect(log.indexOf('other')).toBeLessThan(log.lastIndexOf('step'));
});

it('work without waiting tasks is done without pauses', () => {
  const log: string[] = [];
  expect(runToEnd(counting(3, log))).toBe(3);
  expect(log).toEqual(['step', 'step', 'step']);
});
