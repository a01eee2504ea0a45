import { describe, expect, it } from 'vitest';
import {
  isTimeout,
  ProviderFallback,
  streamWithin,
} from '../../../agents-runtime/timing/provider-fallback.js';
import { VirtualClock } from '../../support/harness/audio/virtual-clock.js';

const FAULT = new Error('down');

describe('provider fallback', () => {
  function setUp(providers: readonly string[]) {
    const faults: unknown[] = [];
    return { faults, fallback: new ProviderFallback(providers, (error) => faults.push(error)) };
  }

  it('retries the first provider once and the others never', () => {
    const { fallback, faults } = setUp(['a', 'b', 'c']);
    const used = [fallback.current];
    for (let i = 0; i < 3; i++) {
      fallback.advance(FAULT, true);
      used.push(fallback.current);
    }
    expect(used).toEqual(['a', 'a', 'b', 'c']);
    expect(() => fallback.advance(FAULT, true)).toThrow(FAULT);
    expect(faults).toEqual([FAULT, FAULT, FAULT]);
  });

  it('uses the next provider immediately if a retry is not allowed', () => {
    const { fallback } = setUp(['a', 'b']);
    fallback.advance(FAULT, false);
    expect(fallback.current).toBe('b');
    expect(fallback.remaining).toEqual(['b']);
    expect(fallback.hasNext).toBe(false);
  });

  it('throws the error of the only provider if a retry is not allowed', () => {
    const { fallback, faults } = setUp(['a']);
    expect(() => fallback.advance(FAULT, false)).toThrow(FAULT);
    expect(faults).toEqual([]);
  });
});

describe('stream with a time limit', () => {
  function setUp() {
    const clock = new VirtualClock();
    const stop = new AbortController();
    let providerSignal: AbortSignal | undefined;
    const results: string[] = [];
    const read = async () => {
      const open = (signal: AbortSignal) => {
        providerSignal = signal;
        return hangAfter('first');
      };
      const limit = { clock, signal: stop.signal, limitMs: () => 100, message: 'Too slow' };
      for await (const result of streamWithin(open, limit)) results.push(result);
    };
    const failure = read().catch((error: unknown) => error);
    return { clock, stop, results, failure, isStopped: () => providerSignal?.aborted };
  }

  async function* hangAfter(first: string): AsyncGenerator<string> {
    yield first;
    await new Promise(() => undefined);
  }

  it('fails with TIMED_OUT and stops the provider if a result takes too long', async () => {
    const { clock, results, failure, isStopped } = setUp();
    await clock.runSettled(100);
    expect(await failure).toMatchObject({ code: 'TIMED_OUT', message: 'Too slow' });
    expect(isTimeout(await failure)).toBe(true);
    expect(results).toEqual(['first']);
    expect(isStopped()).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('ends immediately when its signal is aborted', async () => {
    const { clock, stop, failure, isStopped } = setUp();
    await clock.runSettled(50);
    stop.abort();
    expect(await failure).toMatchObject({ code: 'ABORTED' });
    expect(isStopped()).toBe(true);
    expect(clock.pending).toBe(0);
  });
});
