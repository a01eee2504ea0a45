import { describe, expect, it } from 'vitest';
import { SpokenTextAlignment } from '../../../agents-runtime/output/spoken-text-alignment.js';

/** A sentence as written, 100 samples per word. */
function sentence(text: string) {
  const words = [...text.matchAll(/\S+/g)].map((match, index) => ({
    textStart: match.index,
    textEnd: match.index + match[0].length,
    startSample: index * 100,
    endSample: (index + 1) * 100,
  }));
  return { text, words, samples: new Float32Array(words.length * 100) };
}

describe('SpokenTextAlignment', () => {
  it('joins sentences with the whitespace of the reply', () => {
    const alignment = new SpokenTextAlignment();
    for (const text of [' In cash.', ' Or by card.', '好的。', '我来。'])
      alignment.add(sentence(text));
    expect(alignment.whole).toBe('In cash. Or by card.好的。我来。');
  });

  it('ends with the last word that was played by half', () => {
    const alignment = new SpokenTextAlignment();
    for (const text of ['In cash.', ' Or by card.']) alignment.add(sentence(text));
    expect([0, 49, 51, 249, 251, 500].map((samples) => alignment.heardAt(samples))).toEqual([
      '',
      '',
      'In',
      'In cash.',
      'In cash. Or',
      'In cash. Or by card.',
    ]);
  });
});
