import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CodeBlockFilter, speechTextOf } from '../../../media/text/speech-text.js';
import { cpuMs } from '../../support/harness/process/cpu-time.js';
import '../../support/harness/process/property-seed.js';

const said = (text: string, language = 'en') => speechTextOf(text, language).text;

describe('speakable', () => {
  it.each([
    ['**Hello** _there_, `friend`!', 'Hello there, friend!'],
    ['# Title\n- one\n* two\n1. three', 'Title, one, two, 1. three'],
    ['See [our site](https://example.com/x?y=1) now.', 'See our site now.'],
    ['Great 🎉🎉 news 👍🏽!', 'Great news !'],
    ['<b>Bold</b> and 2 < 3', 'Bold and 2 < 3'],
    ['snake_case_name and 2 * 3 * 4', 'snake_case_name and 2 * 3 * 4'],
    ['| Name | Age |\n|---|---|\n| Ann | 5 |', 'Name, Age. Ann, 5'],
    ['Code [SPELL:a_b*c@d.com] ok', 'Code [SPELL:a_b*c@d.com] ok'],
    ['> quoted', 'quoted'],
    ['# One\nText that is\nwrapped\n\nEnd', 'One. Text that is wrapped. End'],
    ['~~gone~~ ***all***', 'gone all'],
  ])('converts "%s" to "%s"', (written, spoken) => {
    expect(said(written)).toBe(spoken);
  });

  it('speaks addresses in the language of the text', () => {
    expect(said('Mail anna.k@example.com.')).toBe('Mail anna dot k at example dot com.');
    expect(said('https://www.example.org/shop', 'de')).toBe(
      'w w w Punkt example Punkt org Schrägstrich shop',
    );
    expect(said('Écris à a-b@exemple.fr', 'fr')).toBe(
      'Écris à a tiret b arobase exemple point f r',
    );
    expect(said(`https://example.com/${'a/'.repeat(60)}`)).toBe('example dot com');
  });

  it('maps each part to its written characters', () => {
    const written = 'Go **now** to https://example.com, please';
    const { text, ...rest } = { text: speechTextOf(written, 'en').text };
    expect(rest).toEqual({});
    const traced = speechTextOf(written, 'en');
    const rangeOf = (word: string) => {
      const at = text.indexOf(word);
      const { textStart, textEnd } = traced.origin(at, at + word.length);
      return written.slice(textStart, textEnd);
    };
    expect(rangeOf('now')).toBe('now');
    expect(rangeOf('dot')).toContain('example.com');
    expect(rangeOf('please')).toBe('please');
  });

  it('converts no text to excessive speech', () => {
    for (const unit of [
      '*',
      '_',
      '`',
      '[',
      '](',
      '<b ',
      '|',
      '-',
      '#',
      'a@',
      'a.',
      '\n- ',
      '~',
      '\u0301',
    ]) {
      const start = cpuMs();
      said(unit.repeat(5_000));
      expect(cpuMs() - start).toBeLessThan(1_500);
    }
  });
});

describe('code block filter', () => {
  const REPLY = 'Here:\n```js\nlet a = 1; // `x`\n```\nDone.\n~~~\nb\n~~~\nUse ``x`` now';
  const filter = (tokens: readonly string[]) => {
    const blocks = new CodeBlockFilter();
    return tokens.map((token) => blocks.push(token)).join('') + blocks.flush();
  };

  it('drops fenced code and keeps inline code', () => {
    expect(filter([REPLY])).toBe('Here:\nDone.\nUse ``x`` now');
  });

  it('gives the same result in any chunking', () => {
    const parts = fc.array(
      fc.constantFrom('```', '``', '~~~', '\n', 'text', ' ', '`', '🙂', '```js\n', '\n```\n'),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(parts, (tokens) => {
        const text = tokens.join('');
        expect(filter(tokens)).toBe(filter([text]));
        expect(filter([...text])).toBe(filter([text]));
      }),
    );
  });

  it('drops a block without an end', () => {
    expect(filter(['a\n```\ncode', ' more\n'])).toBe('a\n');
  });
});
