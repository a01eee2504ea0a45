import { describe, expect, it } from 'vitest';
import { hasLoop, loopingTokens } from '../../../media/stt/repetition.js';

/**
 * One token per character; spelled letters have a dash in between, as the recogniser writes them.
 */
function idsOf(text: string): number[] {
  return [...text].map((character) => character.charCodeAt(0));
}

describe('repetition in decoded tokens', () => {
  it.each([
    'v-r-a-n-d-t-e-n-d-t-e-n-d-e-n',
    'd-r-a-n-t-t-t-t-t-t',
    'Misisisisisisisis',
    'M-e-i-e-i-e-i-e-i-e',
    '8, 8, 8, 8, 8, 8, 8, 8, ',
    'you do not know you do not know you do not know ',
  ])('is found in "%s"', (text) => {
    expect(hasLoop(tokensOf(text))).toBe(true);
  });

  it.each([
    '',
    'B-r-a-n-d-t.',
    'T-a-t-t-e-r-s-a-l-l.',
    'M-i-s-s-i-s-s-i-p-p-i.',
    'H-a-n-n-a-h.',
    'no, no, no',
    '415-555-2671',
    'very very good',
  ])('is not found in "%s"', (text) => {
    expect(hasLoop(tokensOf(text))).toBe(false);
  });

  it('is stopped at a token that would repeat once too often', () => {
    expect(loopingTokens(idsOf('ab'))).toEqual(new Set());
    expect(loopingTokens(idsOf('bb'))).toEqual(new Set(idsOf('b')));
    expect(loopingTokens(idsOf('xabab'))).toEqual(new Set());
    expect(loopingTokens(idsOf('xababa'))).toEqual(new Set(idsOf('b')));
    expect(loopingTokens(idsOf('xabcdefghijklmnoabcdefghijklmno'))).toEqual(new Set(idsOf('a')));
  });
});

/** Letters, dashes and words, as in the vocabulary. */
function tokensOf(text: string): number[] {
  const known = new Map<string, number>();
  const parts = text.match(/[a-z]{4,}|[a-z]+ |./gi) ?? [];
  return (text.includes(' ') ? parts : [...text]).map((part) => {
    const id = known.get(part) ?? known.size;
    known.set(part, id);
    return id;
  });
}
