import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { CallMetrics } from '../../src/calls/call-metrics.js';

it('counts the silences in which an answer was owed, also the one that the caller hung up in', async () => {
  const registry = new Registry();
  const call = new CallMetrics(registry).begin();
  const silences = async () =>
    /dead_air_seconds_count (\d+)/.exec(
      await registry.getSingleMetricAsString('dead_air_seconds'),
    )?.[1];
  for (const state of ['listening', 'thinking', 'thinking', 'speaking', 'listening'] as const) {
    call.state(state);
  }
  expect(await silences()).toBe('1');
  call.state('thinking');
  expect(await silences()).toBe('1');
  call.ended('user_hangup');
  expect(await silences()).toBe('2');
});
