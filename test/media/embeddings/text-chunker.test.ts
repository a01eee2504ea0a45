import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runInSteps } from '../../../media/async/cooperative.js';
import { chunkText, chunkTextInSteps } from '../../../media/embeddings/text-chunker.js';
import { cpuMs } from '../../support/harness/process/cpu-time.js';
import '../../support/harness/process/property-seed.js';

const passagesOf = (text: string) =>
  chunkText(text).map(({ heading, text: passage }) => `${heading} | ${passage}`);

describe('text chunker', () => {
  it('makes one passage per paragraph, item and row, with its titles', () => {
    const text = `Intro line
goes on.

# Prices #
Prices change each year.
- Tea: **2** euros
2) [Cake](https://a.example/cake) costs three
**Rooms:**
| Room | Price |
|:--|--:|
| Single | 89 |
Opening times:
- Monday
- Tuesday

Closed else.`;
    expect(passagesOf(text)).toEqual([
      ' | Intro line goes on.',
      'Prices | Prices change each year.',
      'Prices | Tea: 2 euros',
      'Prices | Cake costs three',
      'Rooms, Room, Price | Single, 89',
      'Rooms, Opening times | Monday',
      'Rooms, Opening times | Tuesday',
      'Rooms | Closed else.',
    ]);
  });

  it('joins an answer with its question', () => {
    expect(passagesOf('Q: Do you deliver?\n\nA: Yes, we do.\n\nWe also sell tea.')).toEqual([
      'Do you deliver? | Yes, we do.',
      ' | We also sell tea.',
    ]);
  });

  it('splits long text at sentences, and anywhere without them', () => {
    const sentence = 'This sentence is as long as many others are.';
    const long = chunkText(Array(40).fill(sentence).join(' '));
    expect(long.length).toBeGreaterThan(3);
    for (const { text } of long) expect(text.endsWith('.')).toBe(true);
    const solid = chunkText('x'.repeat(2_000));
    expect(solid.map(({ text }) => text).join('')).toBe('x'.repeat(2_000));
    for (const { text } of solid) expect(text.length).toBeLessThanOrEqual(450);
  });

  it('joins many tiny blocks into few passages', () => {
    const passages = chunkText('a\n\n'.repeat(60_000));
    expect(passages.length).toBeLessThan(1_000);
    expect(passages.map(({ text }) => text).join(' ').length).toBe(119_999);
  });

  it('keeps every letter of any text, in passages of limited length', () => {
    const part = fc.constantFrom(
      '# ',
      '- ',
      '|',
      '\n',
      '\n\n',
      ' ',
      'ab',
      'Cd.',
      '?',
      ':',
      '1) ',
      '**',
    );
    const letters = (text: string) => text.replace(/[^a-z]/gi, '').length;
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const passages = chunkText(parts.join(''));
        for (const { text } of passages) {
          expect(text).toBe(text.trim());
          expect(text.length).toBeLessThanOrEqual(450);
        }
        const all = passages.reduce((sum, { text }) => sum + letters(text), 0);
        expect(all).toBeLessThanOrEqual(letters(parts.join('')));
      }),
    );
  });

  it.each([
    ['spaces', `|${' '.repeat(200_000)}x`],
    ['pipes', `${'| '.repeat(100_000)}x`],
    ['brackets', '['.repeat(200_000)],
    ['links', '[a]('.repeat(50_000)],
    ['stars', '**'.repeat(100_000)],
    ['lines', `x${'\n \t'.repeat(66_000)}x`],
    ['lines of labels', 'a:\n'.repeat(66_000)],
    ['titles', '# a\n'.repeat(50_000)],
    ['hashes', `${'#'.repeat(100_000)} ${' #'.repeat(50_000)}x`],
    ['dashes', `|${'-'.repeat(199_000)}x`],
    ['one sentence', 'word '.repeat(40_000)],
    ['sentences', 'One. '.repeat(40_000)],
  ])('is fast for %s', (_, text) => {
    const begin = cpuMs();
    chunkText(text);
    expect(cpuMs() - begin).toBeLessThan(1_500);
  });

  it('gives the same passages in any chunking', () => {
    const part = fc.constantFrom(
      '\n# A title\n',
      '\n- an item of a list that tells something\n',
      '\n| a | row |\n',
      '\n**All bold:**\n',
      '\nTimes:\n',
      '\n \n\n',
      'Words of a sentence that goes on for quite a while. ',
    );
    const filler = 'Some words that fill a line of its own, not too short.\n\n';
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 20, maxLength: 60 }),
        fc.integer({ min: 150, max: 200 }),
        (parts, lines) => {
          // The first 10,000 characters end somewhere inside it.
          const text = parts.join('');
          const wanted = chunkText(`${filler}${text}`).slice(1);
          expect(chunkText(filler.repeat(lines) + text).slice(lines)).toEqual(wanted);
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each([
    ['paragraphs', 'One line of it.\n\nAnother one, with more. And more.\n\n'.repeat(3_500)],
    ['items', '- one\n- two\n'.repeat(16_000)],
    ['one sentence', 'word '.repeat(40_000)],
    ['sentences', 'One. '.repeat(40_000)],
  ])('pauses regularly for 200,000 characters: %s', async (_, text) => {
    let pauses = 0;
    const passages = await runInSteps(chunkTextInSteps(text), async () => void pauses++);
    expect(pauses).toBeGreaterThan(20);
    expect(passages).toEqual(chunkText(text));
  });
});
