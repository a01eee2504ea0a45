import { describe, expect, it } from 'vitest';
import {
  duration,
  endingSentence,
  microphoneSentence,
  refusalSentence,
  stateName,
} from '../../../src/web/call/call-texts.js';

describe('texts for callers', () => {
  it('explain why there is no microphone', () => {
    expect(microphoneSentence('NotAllowedError')).toMatch(/blocks/);
    expect(microphoneSentence('SomethingNew')).toBe('The microphone is not available.');
  });

  it("explain known refusals, and otherwise repeat the server's text", () => {
    expect(refusalSentence('concurrency_limit', 'x')).toMatch(/slots are in use/);
    expect(refusalSentence(undefined, 'No such agent')).toBe('No such agent');
  });

  it('explain every end reason, including unknown ones', () => {
    expect(endingSentence('user_hangup')).toBe('You hung up.');
    expect(endingSentence('sun_exploded')).toBe('The call ended (sun exploded).');
  });

  it('name states, and format durations like a phone', () => {
    expect(stateName('thinking')).toBe('Thinking');
    expect([0, 9.9, 61, 3605].map(duration)).toEqual(['0:00', '0:09', '1:01', '60:05']);
  });
});
