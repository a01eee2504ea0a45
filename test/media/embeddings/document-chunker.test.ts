import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runInSteps, runToEnd } from '../../../media/async/cooperative.js';
import {
  chunkDocument,
  embeddingWindows,
  estimateTokensOf,
} from '../../../media/embeddings/document-chunker.js';
import '../../support/harness/process/property-seed.js';

const passagesOf = (text: string) => runToEnd(chunkDocument(text));
const sentence = (i: number) => `Room number ${i} has a view of the harbour and a bath of its own.`;
const many = (count: number) => Array.from({ length: count }, (_, i) => sentence(i)).join(' ');
const letters = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

describe('document chunker', () => {
  it('keeps short sections together under their common title', () => {
    const [passage, ...others] = passagesOf(
      '# Hotel\n## Arrival\nFrom three.\n\n## Pets\n- Dogs\n- Cats\n',
    );
    expect(others).toEqual([]);
    expect(passage).toEqual({
      title: 'Hotel',
      text: '## Arrival\nFrom three.\n## Pets\n- Dogs\n- Cats',
    });
  });

  it('splits long sections at sentences, with the titles and an overlap', () => {
    const passages = passagesOf(`# Hotel\n\n## Rooms\n\n${many(160)}\n\n## Bar\n\n${many(20)}`);
    expect(passages.length).toBeGreaterThan(3);
    const rooms = passages.filter(({ title }) => title === 'Hotel, Rooms');
    expect(rooms.length).toBeGreaterThan(2);
    rooms.slice(1).forEach(({ text }, i) => {
      const before = rooms[i]!.text.match(/Room number \d+ [^.]+\.$/)![0];
      expect(text.startsWith(before)).toBe(true);
    });
    for (const { text } of rooms) expect(text).toMatch(/^(?:## Rooms\n)?Room number .*own\.$/s);
    const sizes = passages.slice(0, -1).map(({ text }) => estimateTokensOf(text));
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(200);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(460);
  });

  it('omits titles without text and parts without words', () => {
    expect(passagesOf('# One\n\n## Two\n\n--- ** !!')).toEqual([]);
    expect(passagesOf('')).toEqual([]);
    expect(passagesOf('The end.\n\n# Appendix')).toEqual([{ title: '', text: 'The end.' }]);
  });

  it('keeps every letter of any text, in passages and windows of limited length', () => {
    const block = fc.oneof(
      fc.constantFrom(
        '# Title\n',
        '\n\n',
        '- item\n',
        '| a | b |\n',
        '**bold**\n',
        '漢字。',
        'Q: x?\n',
      ),
      fc.string({ maxLength: 60, unit: 'grapheme' }),
      fc.constantFrom(many(3), many(40), 'x'.repeat(3_000), `${'word '.repeat(900)}\n`),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 25 }), (blocks) => {
        const passages = passagesOf(blocks.join(''));
        for (const passage of passages) {
          expect(estimateTokensOf(passage.text)).toBeLessThanOrEqual(900);
          for (const window of embeddingWindows(passage, 110)) {
            expect(estimateTokensOf(window)).toBeLessThanOrEqual(140);
          }
        }
      }),
      { numRuns: 60 },
    );
    const text = Array.from({ length: 500 }, (_, i) => `${sentence(i)}${i % 9 ? ' ' : '\n\n'}`);
    const passageTexts = passagesOf(text.join('')).map((passage) => passage.text);
    for (let i = 0; i < 500; i++)
      expect(passageTexts.some((one) => one.includes(`number ${i} `))).toBe(true);
    expect(passageTexts.reduce((sum, one) => sum + letters(one), 0)).toBeGreaterThan(
      letters(text.join('')),
    );
  });

  it('takes linear time and yields to other tasks', async () => {
    const hostile = ['x', 'a\n', '# t\n', '# a\nb\n', '[', '**', '| a | b |\n', 'ab. ', '漢'];
    for (const block of hostile) {
      let pauses = 0;
      await runInSteps(chunkDocument(block.repeat(60_000 / block.length)), async () => {
        pauses++;
      });
      expect(pauses).toBeLessThan(60_000);
    }
  });
});
