import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../media/languages.js';
import {
  MAX_CHUNK_LENGTH,
  SentenceStream,
  splitLong,
  splitSentences,
} from '../../../media/text/sentences.js';
import { cpuMs } from '../../support/harness/process/cpu-time.js';
import '../../support/harness/process/property-seed.js';

const OPTIONS = { language: 'en', minLength: 20 };

/** The chunks, each with the number of tokens received before it; flushed chunks come last. */
function stream(tokens: readonly string[], options = OPTIONS): [chunk: string, after: number][] {
  const sentences = new SentenceStream(options);
  const chunks: [string, number][] = [];
  for (const [i, token] of tokens.entries()) {
    for (const chunk of sentences.push(token)) chunks.push([chunk, i + 1]);
  }
  for (const chunk of sentences.flush()) chunks.push([chunk, tokens.length]);
  return chunks;
}

/** Words with the space before them, as LLMs send them. */
const tokensOf = (text: string) => text.match(/\s*(?:[\p{L}\p{M}\p{N}]+|\S)/gu) ?? [];
const chunksOf = (text: string, options = OPTIONS) =>
  stream(tokensOf(text), options).map(([chunk]) => chunk);

describe('first chunk', () => {
  it.each([
    ['en', 'Sure!| I can help.'],
    ['en', "Okay.| Great. What's your date of birth?"],
    ['zh', '好的。|我来帮您。'],
    ['hi', 'ठीक है।| मैं देखता हूँ।'],
    ['ar', 'كيف حالك؟| أنا بخير.'],
    ['ja', 'はい！|わかりました。'],
    ['en', 'As far as I know,| we are open on Sundays until the evening.'],
    ['en', 'Good question…| Let me see what I can find.'],
    ['en', '“Of course!”| That is what I said to her.'],
    ['en', 'Yes.\n|\nWe are open on Sundays until the evening.'.replace('\n|', '|\n')],
  ])('in %s ends at the bar in "%s"', (language, probe) => {
    const text = probe.replace('|', '');
    expect(chunksOf(text, { language, minLength: 20 }).join('|')).toBe(probe);
  });

  it.each([
    ['en', 'Sure!| I can help.'],
    ['en', "Okay.| Great. What's your date of birth?"],
    ['zh', '好的。|我来帮您。'],
    ['hi', 'ठीक है।| मैं देखता हूँ।'],
  ])('in %s of "%s" is emitted with the token after the punctuation', (language, probe) => {
    const [before = '', behind = ''] = probe.split('|');
    const chunks = stream([...tokensOf(before), ...tokensOf(behind)], { language, minLength: 20 });
    expect(chunks[0]).toEqual([before, tokensOf(before).length + 1]);
  });

  it('of one long sentence without a comma is emitted at the end of the text', () => {
    const text =
      'The library on the corner of the old market square is open every day from nine until seven in'.slice(
        0,
        92,
      );
    expect(stream(tokensOf(`${text}.`))).toEqual([[`${text}.`, tokensOf(text).length + 1]]);
  });

  it('is no single word before a comma and contains speech', () => {
    expect(chunksOf('Well, I see. That is very good of you.')[0]).toBe('Well, I see.');
    expect(chunksOf('… Hello there. Good to see you again.')[0]).toBe('… Hello there.');
  });
});

describe('later chunks', () => {
  it('have a minimum length', () => {
    expect(chunksOf('Yes. No. Maybe. It depends on the weather. Fine.')).toEqual([
      'Yes.',
      ' No. Maybe. It depends on the weather.',
      ' Fine.',
    ]);
  });

  it('end at a clause if they are long', () => {
    const text = `Yes. ${'and so it went on and on, '.repeat(20)}until it stopped.`;
    const chunks = chunksOf(text);
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks.slice(1, -1)) expect(chunk).toMatch(/,$/);
  });
});

describe('full stop', () => {
  it.each([
    ['en', 'Dr. Smith met Mr. Jones at 3.5 miles from St. Paul.'],
    ['en', 'J. K. Rowling and George R. R. Martin wrote it.'],
    [
      'en',
      'Write to anna.b@example.co.uk or see https://example.com/a.html?b=c. It works.'.replace(
        '. It works',
        '',
      ),
    ],
    ['en', 'It costs approx. five dollars, e.g. for apples etc. and pears.'],
    ['en', 'Meet me at 5 p.m. on the U.S. side of the bridge.'],
    ['en', 'Version 1.2.3 is at 192.168.1.1 now.'],
    ['en', 'It is in No. 5, Fig. 3 of it.'],
    ['en', '1. Open the door and wait for the light.'],
    ['de', 'Am 3. Mai kommt Hr. Müller z.B. mit dem Zug bzw. dem Bus.'],
    ['fr', 'M. Dupont et Mme. Durand arrivent.'],
    ['es', 'El Sr. García vive en la Avda. Libertad.'],
    ['it', 'Il Sig. Rossi e la Dott.ssa Bianchi arrivano.'],
    ['pl', 'Dnia 3. maja przyjedzie prof. Nowak.'],
    ['ru', 'Он живёт на ул. Ленина, и т.д. в городе.'],
    ['nl', 'Dhr. Jansen komt d.w.z. vandaag.'],
    ['pt', 'O Sr. Silva mora na Av. Paulista.'],
    ['sv', 'Det är t.ex. bra.'],
    ['ca', 'El Sr. Puig viu al c. Major.'],
  ])('in %s does not end the sentence in "%s"', (language, text) => {
    expect(splitSentences(text, language).map((span) => span.text)).toEqual([text]);
  });

  it.each([
    ['en', 'It was 1999. Then it was over.', 2],
    ['en', 'Apples, pears etc. Then we left at 5 p.m. Nobody came.', 3],
    ['en', 'He said “No.” Then he left. (He was tired.) I stayed.', 4],
    ['en', 'Wait... What? Really?! Yes!', 4],
    ['de', 'Das war 1999. Dann kam er usw. Danach ging er.', 3],
    ['ja', '「はい。」と言った。終わり。', 3],
    ['en', 'Spell [SPELL:A. B] now. Good.', 2],
    ['en', 'a title\n\na text', 2],
    ['en', '  ', 0],
  ])('in %s ends each sentence of "%s"', (language, text, count) => {
    expect(splitSentences(text, language)).toHaveLength(count);
  });
});

describe('any tokenisation', () => {
  const alphabet = fc.constantFrom(
    ...[
      'a',
      'Word',
      'etc',
      'Mr',
      'é',
      '漢字',
      '好',
      'है',
      '3',
      '14',
      ' ',
      ' ',
      ' ',
      '\n',
      '.',
      '.',
      ',',
      '!',
      '?',
    ],
    ...[
      '。',
      '，',
      '…',
      '।',
      '"',
      '”',
      ')',
      '[',
      ']',
      '(',
      '**',
      '`',
      '-',
      ':',
      '🙂',
      '[SPELL:A.B, C]',
      'U.S',
      'x@y.de',
    ],
  );
  const texts = fc.array(alphabet, { maxLength: 120 }).map((parts) => parts.join(''));

  it('gives the same chunks, which add up to the text', () => {
    fc.assert(
      fc.property(
        texts,
        fc.constantFrom(...LANGUAGES),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (text, language, lengths) => {
          const options = { language, minLength: 20 };
          const tokens: string[] = [];
          for (let at = 0, i = 0; at < text.length; i++) {
            const length = lengths[i % lengths.length] ?? 1;
            tokens.push(text.slice(at, at + length));
            at += length;
          }
          const chunks = stream(tokens, options).map(([chunk]) => chunk);
          expect(chunks).toEqual(stream([text], options).map(([chunk]) => chunk));
          expect(chunks.join('').trimEnd()).toBe(text.trimEnd());
        },
      ),
      { numRuns: 500 },
    );
  });

  it('gives spans at their positions in the text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        let last = 0;
        for (const span of splitSentences(text, 'en')) {
          expect(text.slice(span.start, span.end)).toBe(span.text);
          expect(text.slice(last, span.start).trim()).toBe('');
          last = span.end;
        }
        expect(text.slice(last).trim()).toBe('');
      }),
    );
  });
});

describe('limits', () => {
  it('split endless text, at words if possible', () => {
    const words = 'never ending '.repeat(200);
    for (const chunk of chunksOf(words)) expect(chunk.length).toBeLessThanOrEqual(MAX_CHUNK_LENGTH);
    expect(splitLong(words, 100).every((chunk) => /^ ?never|^ ?ending/.test(chunk))).toBe(true);
    expect(splitLong('🙂'.repeat(400), 101).join('')).toBe('🙂'.repeat(400));
    expect(splitLong('🙂'.repeat(400), 101).every((chunk) => chunk.length % 2 === 0)).toBe(true);
  });

  it.each([
    ['dots', '.'],
    ['spaces', ' '],
    ['brackets', '['],
    ['newlines', '\n'],
    ['letters', 'a'],
    ['short words', 'a. '],
    ['quotes', '"'],
  ])('keep the time linear for 100,000 characters of %s, one by one', (_, unit) => {
    const sentences = new SentenceStream(OPTIONS);
    const start = cpuMs();
    for (let i = 0; i < 100_000 / unit.length; i++) for (const c of unit) sentences.push(c);
    sentences.flush();
    expect(cpuMs() - start).toBeLessThan(3_000);
  });
});
