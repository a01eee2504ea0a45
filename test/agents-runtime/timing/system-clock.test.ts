import { expect, it } from 'vitest';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';

it('a timer may exceed the maximum of Node and can be stopped', async () => {
  let fired = 0;
  const far = systemClock.after(1e13, () => fired++);
  await new Promise<void>((resolve) => systemClock.after(20, resolve));
  expect(fired).toBe(0);
  far.cancel();
});
