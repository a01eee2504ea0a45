import { describe, expect, it } from 'vitest';
import { changedSettings } from '../../../tools/replay/changed-settings.js';

describe('settings changed by a replay', () => {
  it('accept numbers, flags and durations in seconds', () => {
    expect(
      changedSettings([
        'min_endpointing_delay=0.3',
        'min_interruption_words=2',
        'allow_interruptions=false',
        'vad_activation_threshold=0.4',
      ]),
    ).toEqual({
      minEndpointingMs: 300,
      minInterruptionWords: 2,
      allowInterruptions: false,
      vadActivationThreshold: 0.4,
    });
  });

  it.each(['llm_temperature=1', 'prompt=x', 'toString=1', 'min_silence'])('reject %s', (pair) => {
    expect(changedSettings([pair])).toMatch(/^--set accepts min_silence_duration, .*; got /);
  });

  it.each([
    'min_endpointing_delay=',
    'min_endpointing_delay=-1',
    'min_endpointing_delay=soon',
    'min_interruption_words=11',
    'min_interruption_words=1.5',
    'allow_interruptions=maybe',
    'vad_activation_threshold=2',
  ])('reject %s', (pair) => {
    expect(changedSettings([pair])).toMatch(/^\w+ must not be /);
  });
});
