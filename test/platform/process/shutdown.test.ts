import { expect, it } from 'vitest';
import { Shutdown } from '../../../src/platform/process/shutdown.js';

it('resources are closed once in reverse order, for any number of calls', async () => {
  const shutdown = new Shutdown(1_000);
  const closed: string[] = [];
  for (const name of ['database', 'server']) shutdown.add(name, async () => closed.push(name));
  expect(await Promise.all([shutdown.close(), shutdown.close()])).toEqual([true, true]);
  expect(await shutdown.close()).toBe(true);
  expect(closed).toEqual(['server', 'database']);
});

it('the remaining resources are closed if one fails, and the error is reported', async () => {
  const shutdown = new Shutdown(1_000);
  const closed: string[] = [];
  shutdown.add('database', () => closed.push('database'));
  shutdown.add('voice', () => Promise.reject(new Error('stuck')));
  expect(await shutdown.close()).toBe(false);
  expect(closed).toEqual(['database']);
});

it('a resource that never closes causes a timeout', async () => {
  const shutdown = new Shutdown(20);
  shutdown.add('voice', () => new Promise(() => undefined));
  expect(await shutdown.close()).toBe(false);
});
