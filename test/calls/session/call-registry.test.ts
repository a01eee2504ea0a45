import { expect, it } from 'vitest';
import { CallRegistry, type LiveCall } from '../../../src/calls/session/call-registry.js';

const LIVE: LiveCall = {
  call: {} as LiveCall['call'],
  end: async () => undefined,
};

it('runs work only while there are calls', () => {
  const registry = new CallRegistry();
  const log: string[] = [];
  registry.whileActive(() => {
    log.push('start');
    return () => log.push('stop');
  });
  registry.remove('unknown');
  expect(log).toEqual([]);
  registry.add('first', LIVE);
  registry.add('second', LIVE);
  registry.remove('first');
  expect(log).toEqual(['start']);
  registry.remove('second');
  expect(log).toEqual(['start', 'stop']);
  registry.add('third', LIVE);
  expect(log).toEqual(['start', 'stop', 'start']);
});
