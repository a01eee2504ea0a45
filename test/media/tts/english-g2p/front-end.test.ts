import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EnglishFrontEnd } from '../../../../media/tts/english-g2p/front-end.js';
import {
  asLine,
  englishFrontEnd,
  referenceReadings,
  wordDistance,
} from '../../../support/harness/audio/english-front-end.js';
import { cpuMs } from '../../../support/harness/process/cpu-time.js';
import '../../../support/harness/process/property-seed.js';

let us: EnglishFrontEnd;
let gb: EnglishFrontEnd;

beforeAll(async () => {
  us = await englishFrontEnd('us');
  gb = await englishFrontEnd('gb');
});

const read = async (text: string) => asLine(await us.phonemize(text));

describe('comparison with the reference package', () => {
  it('gives the same phonemes for at least 98 % of the words, American and British', async () => {
    const counts = { us: { words: 0, wrong: 0 }, gb: { words: 0, wrong: 0 } };
    for (const { dialect, text, phonemes } of await referenceReadings()) {
      const line = asLine(await (dialect === 'us' ? us : gb).phonemize(text));
      counts[dialect].words += phonemes.split(/\s+/).length;
      counts[dialect].wrong += wordDistance(phonemes, line);
    }
    expect(counts.us.words).toBeGreaterThan(20_000);
    expect(1 - counts.us.wrong / counts.us.words).toBeGreaterThanOrEqual(0.98);
    expect(1 - counts.gb.wrong / counts.gb.words).toBeGreaterThanOrEqual(0.98);
  });
});

describe('positions in the original text', () => {
  it('give each word its written range', async () => {
    const text = 'On Jan 5, 1999 Dr. Smith paid $3.50 at 7:30 pm.';
    const words = await us.phonemize(text);
    const written = words.map(({ textStart, textEnd }) => text.slice(textStart, textEnd));
    expect(written).toEqual([
      ...['On', 'Jan', '5', ',', '1999', '1999', '1999', 'Dr.', 'Smith', 'paid'],
      ...['$3.50', '$3.50', '$3.50', '$3.50', '$3.50', 'at', '7:30 pm', '7:30 pm', '7:30 pm', '.'],
    ]);
  });

  it('are ordered and inside the text, for any text', async () => {
    const fragment = fc.constantFrom(
      ...[
        '$3.50',
        'Dr.',
        '7:30 pm',
        '«',
        '🙂',
        '\ud800',
        'a\u0301',
        'www.x.de',
        '[SPELL:a1]',
        '12/31/99',
      ],
      ...[
        '**',
        '`',
        '\n',
        '\t',
        '5km',
        '1990s',
        "don't",
        'and/or',
        '3rd',
        '漢字',
        'x@y.org',
        '—',
        '…',
        '(',
        ')',
      ],
    );
    const texts = fc
      .array(fc.oneof(fragment, fc.string({ unit: 'binary', maxLength: 6 }), fc.constant(' ')))
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        let last = 0;
        for (const { phonemes, textStart, textEnd } of await us.phonemize(text)) {
          expect(phonemes).not.toMatch(/\p{Nd}/u);
          expect(textStart).toBeGreaterThanOrEqual(last);
          expect(textEnd).toBeGreaterThan(textStart);
          expect(textEnd).toBeLessThanOrEqual(text.length);
          last = textStart;
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe('spelling markup', () => {
  it('names each character, with pauses in between', async () => {
    expect(await read('Your code is [SPELL:BX42].')).toBe(
      `${await read('Your code is')} bˈi, ˈɛks, fˈɔɹ, tˈu.`,
    );
  });

  it('speaks the letter a by its name', async () => {
    expect(await read('[SPELL:aA]')).toBe('ˈA, ˈA');
  });

  it('names signs and ignores characters without a name', async () => {
    expect(await read('[SPELL:a-b]')).toContain('dˈæʃ');
    expect(await read('[SPELL:]')).toBe('');
    expect(await read('[SPELL:漢]')).toBe('');
  });
});

describe('words with a dictionary transcription', () => {
  const saying = async (text: string, word: string, ipa: string) => {
    const textStart = text.indexOf(word);
    const pronounced = [{ textStart, textEnd: textStart + word.length, ipa }];
    return us.phonemize(text, pronounced);
  };

  it('are spoken as transcribed and leave other words unchanged', async () => {
    const text = 'Please call Nguyen on 5 May.';
    const line = asLine(await saying(text, 'Nguyen', 'nwɪn'));
    expect(line).toBe(
      (await read('Please call Nguyen on 5 May.')).replace(/ɹˈ\S+|\S*ŋ\S*n/u, 'nwˈɪn'),
    );
    expect(line).toContain('kˈɔl nwˈɪn ');
  });

  it('keep their positions, punctuation and genitive', async () => {
    const text = '“Dr. Nguyen’s dog (Nguyen)...';
    const words = await us.phonemize(text, [
      { textStart: 5, textEnd: 11, ipa: 'nwɪn' },
      { textStart: 19, textEnd: 25, ipa: 'nwɪk' },
    ]);
    const written = words.map((word) => [text.slice(word.textStart, word.textEnd), word.phonemes]);
    expect(written).toContainEqual(['Nguyen’s', 'nwˈɪnz']);
    expect(written).toContainEqual(['Nguyen', 'nwˈɪk']);
    expect(words.map(({ textStart }) => textStart)).toEqual(
      words.map(({ textStart }) => textStart).toSorted((a, b) => a - b),
    );
  });

  it('end a sentence and affect the pronunciation of the word before', async () => {
    expect(asLine(await saying('I read the Aerie.', 'Aerie', 'ˈɪəɹi'))).toContain('ði ˈɪəɹi.');
    expect(asLine(await saying('I read the Aerie.', 'Aerie', 'ˈkɪəɹi'))).toContain('ðə kˈɪəɹi.');
  });

  it('may be phrases with digits and signs', async () => {
    const text = "We use C++ 11, don't we?";
    const line = asLine(await saying(text, 'C++ 11', 'siː ɪˈlɛvən'));
    expect(line).toContain('sˈi ɪlˈɛvən,');
    expect(line).not.toContain('plˈʌs');
  });

  it('are spoken as written if the voice lacks a sound', async () => {
    const text = 'Call Anna now.';
    expect(asLine(await saying(text, 'Anna', 'ǃana'))).toBe(await read(text));
  });

  it('are distinct from private-use characters in the text', async () => {
    const text = 'Call \ue100 Anna \ue101 now.';
    expect(asLine(await saying(text, 'Anna', 'ˈɑnə'))).toBe(
      (await read('Call Anna now.')).replace(/\S*næ?n\S*|ˈænə/u, 'ˈɑnə'),
    );
  });
});

describe('deviations from the reference package', () => {
  const same = async (written: string, said: string) =>
    expect(await read(written)).toBe(await read(said));

  it('read addresses with their dots', async () => {
    const line = await read('Write to anna@example.com.');
    expect(line).toContain(await read('example dot com'));
  });

  it('read "no." as number only before a number', async () => {
    expect(await read('The answer is no.')).toMatch(/ nˈO\.$/);
    await same('It is no. 5.', 'It is number 5.');
  });

  it('read tens of cents and final zeros', async () => {
    await same('It costs $3.5 now.', 'It costs $3.50 now.');
    expect(await read('It is 2.10.')).not.toBe(await read('It is 2.1.'));
  });

  it('read long codes digit by digit', async () => {
    await same('It is 4155550123.', 'It is four one five five five five zero one two three.');
  });

  it('keep the end of a sentence after p.m.', async () => {
    expect(await read('Come at 8 pm.')).toMatch(/\.$/);
    expect(await read('Come at 8 p.m.')).toMatch(/[^.]\.$/);
    expect(await read('At 8 p.m. we eat.')).not.toContain('m.');
  });
});

describe('markup and unspeakable text', () => {
  it('speaks the words of Markdown without its markup', async () => {
    const plain = await read('This is very good.');
    for (const text of [
      'This is **very** good.',
      '# This is _very_ `good`.',
      'This is [very](http://x.y/z) good.',
    ]) {
      expect(await read(text)).toBe(plain);
    }
  });

  it('ignores emoji and unsupported scripts', async () => {
    for (const text of [
      '🙂',
      '👩‍👩‍👧‍👦🇨🇭',
      '漢字かな',
      '\ud800',
      '\u0000\u0007',
      '',
      '   ',
      '\n',
    ]) {
      expect(await read(text)).toBe('');
    }
    expect(await read('Hi 🙂 there')).toBe(await read('Hi there'));
  });

  it('reads accented Latin letters, composed or decomposed', async () => {
    expect(await read('Zoe\u0308')).toBe(await read('Zo\u00eb'));
  });

  it.each([
    ['combining marks', `a${'\u0301'.repeat(100_000)}`],
    ['alternating marks', `a${'\u0301\u0323'.repeat(50_000)}`],
    ['one word', 'a'.repeat(5_000)],
    ['one number', '7'.repeat(5_000)],
    ['hyphens', 'a-'.repeat(2_500)],
    ['dots', '.'.repeat(5_000)],
    ['brackets', '['.repeat(5_000)],
    ['asterisks', '*a'.repeat(2_500)],
    ['backticks', '`a'.repeat(2_500)],
    ['address parts', 'a.b@'.repeat(1_250)],
    ['host parts', 'a.'.repeat(2_500)],
    ['signs', '<=>~|^$£€#%&@'.repeat(380)],
    ['groups of digits', '12-34.56/78:90,'.repeat(330)],
    ['spaces', ' '.repeat(5_000)],
    ['surrogates', '\udc00\ud800'.repeat(2_500)],
    ['words', 'The 3rd of May costs $5 at 7:30. '.repeat(150)],
  ])('takes limited time for 5,000 characters of %s', async (_, text) => {
    const start = cpuMs();
    await us.phonemize(text);
    expect(cpuMs() - start).toBeLessThan(1_500);
  });
});
