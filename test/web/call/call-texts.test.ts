import { describe, expect, it } from 'vitest';
import {
  duration,
  endingSentence,
  microphoneSentence,
  refusalSentence,
  stateName,
} from '../../../src/web/call/call-texts.js';

describe('what a caller reads', () => {
  it('says in plain words why there is no microphone', () => {
    expect(microphoneSentence('NotAllowedError')).toMatch(/blocks/);
    expect(microphoneSentence('SomethingNew')).toBe('The microphone is not available.');
  });

  it('knows the reasons of a refusal, and else repeats the server', () => {
    expect(refusalSentence('concurrency_limit', 'x')).toMatch(/slots are in use/);
    expect(refusalSentence(undefined, 'No such agent')).toBe('No such agent');
  });

  it('tells every ending, also one that it does not know', () => {
    expect(endingSentence('user_hangup')).toBe('You hung up.');
    expect(endingSentence('sun_exploded')).toBe('The call ended (sun exploded).');
  });

  it('names states, and counts as a telephone does', () => {
    expect(stateName('thinking')).toBe('Thinking');
    expect([0, 9.9, 61, 3605].map(duration)).toEqual(['0:00', '0:09', '1:01', '60:05']);
  });
});
