import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import type { AgentState } from '../../../agents-runtime/contract/transport.js';
import { CallMetrics } from '../../../src/calls/session/call-metrics.js';

it('silences before an answer are counted, including one in which the caller hangs up', async () => {
  const registry = new Registry();
  const call = new CallMetrics(registry).observeCall();
  const show = (state: AgentState) =>
    call.output?.({ type: 'send', event: { type: 'state', state } }, 0);
  const silences = async () =>
    /dead_air_seconds_count (\d+)/.exec(
      await registry.getSingleMetricAsString('dead_air_seconds'),
    )?.[1];
  for (const state of ['listening', 'thinking', 'thinking', 'speaking', 'listening'] as const) {
    show(state);
  }
  expect(await silences()).toBe('1');
  show('thinking');
  expect(await silences()).toBe('1');
  call.ended?.('user_hangup');
  expect(await silences()).toBe('2');
});
