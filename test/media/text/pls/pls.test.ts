import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PronunciationRule } from '../../../../media/text/dictionary/pronunciation-rule.js';
import { PlsError } from '../../../../media/text/pls/pls-error.js';
import { type PronunciationLexicon, readPls } from '../../../../media/text/pls/read-pls.js';
import { isXmlText, writePls } from '../../../../media/text/pls/write-pls.js';
import { ipaOfXSampa } from '../../../../media/text/pls/x-sampa.js';
import '../../../support/harness/process/property-seed.js';

const LIMITS = { rules: 100, wordLength: 200, replacementLength: 500 };
const FOLDER = fileURLToPath(new URL('../../../../../test/fixtures/pls/', import.meta.url));
const NS = 'xmlns="http://www.w3.org/2005/01/pronunciation-lexicon"';

function read(xml: string | Uint8Array, languages = ['en', 'it']): PronunciationLexicon {
  let count = 0;
  const bytes = typeof xml === 'string' ? new TextEncoder().encode(xml) : xml;
  return readPls(bytes, { limits: LIMITS, languages, makeId: () => `made-${++count}` });
}

function faultOf(xml: string | Uint8Array, languages?: string[]): [number, number, string] {
  try {
    read(xml, languages);
  } catch (error) {
    if (error instanceof PlsError) return [error.line, error.column, error.message];
    throw error;
  }
  throw new Error('The lexicon was accepted');
}

/** The fields of the rules without their IDs. */
function summary({ rules }: PronunciationLexicon): unknown[] {
  return rules.map(({ word, replacement, ipa }) => [word, replacement, ipa]);
}

function lexicon(
  content: string,
  attributes = 'version="1.0" alphabet="ipa" xml:lang="en"',
): string {
  return `<lexicon ${NS} ${attributes}>\n${content}\n</lexicon>`;
}

/** Each example of a lexicon in the recommendation, with its rules word by word. */
const EXAMPLES: readonly [string, ...[word: string, replacement: string, ipa: string | null][]][] =
  [
    [
      '1.1-1',
      ['La vita è bella', 'La vita è bella', 'ˈlɑ ˈviːɾə ˈʔeɪ ˈbɛlə'],
      ['Roberto', 'Roberto', 'ɹəˈbɛːɹɾoʊ'],
      ['Benigni', 'Benigni', 'bɛˈniːnji'],
    ],
    [
      '1.3-1',
      ['judgment', 'judgment', 'ˈdʒʌdʒ.mənt'],
      ['judgement', 'judgement', 'ˈdʒʌdʒ.mənt'],
      ['fiancé', 'fiancé', 'fiˈɒns.eɪ'],
      ['fiance', 'fiance', 'fiˈɒns.eɪ'],
    ],
    ['4.1-1', ['tomato', 'tomato', 'təmei̥ɾou̥']],
    ['4.2-1'],
    ['4.3-1'],
    ['4.4-1', ['file', 'file', 'faɪl'], ['EU', 'Unione Europea', null]],
    ['4.4-2', ['read', 'read', 'riːd'], ['read', 'read', 'red']],
    ['4.5-1', ['Sepulveda', 'Sepulveda', 'səˈpʌlvɪdə']],
    ['4.6-1', ['huge', 'huge', 'hjuːdʒ']],
    ['4.6-2', ['theater', 'theater', 'ˈθɪətər'], ['theatre', 'theatre', 'ˈθɪətər']],
    ['4.7-1', ['W3C', 'World Wide Web Consortium', null]],
    [
      '4.7-2',
      ['GNU', 'GNU is Not Unix', null],
      ['Unix', 'a multiplexed information and computing service', null],
      ['UNIX', 'a multiplexed information and computing service', null],
    ],
    ['4.8-1', ['lead', 'lead', 'led'], ['lead', 'lead', 'liːd']],
    ['4.9.3-1', ['bead', 'bead', 'biːd']],
    ['4.9.3-2', ['read', 'read', 'red']],
    ['4.9.3-3', ['lead', 'lead', 'liːd']],
    ['4.9.3-4', ['read', 'red', null], ['red', 'red', 'red']],
    ['4.9.3-5', ['lead', 'led', null], ['led', 'led', 'led']],
    ['4.9.3-6', ['lead', 'led', 'liːd'], ['led', 'led', 'led']],
    ['4.9.3-7', ['lead', 'lead', 'led'], ['lead', 'lead', 'liːd']],
    ['4.9.3-8', ['lead', 'led', 'liːd'], ['lead', 'lead', 'led']],
    ['4.9.3-9', ['1', 'un', null], ['une', 'une', 'yn']],
    ['5.1-1', ['Newton', 'Newton', 'ˈnjuːtən'], ['Scahill', 'Scahill', 'ˈskɑhɪl']],
    ['5.2-1', ['Newton', 'Newton', 'ˈnjuːtən']],
    ['5.3-1', ['colour', 'colour', 'ˈkʌlər'], ['color', 'color', 'ˈkʌlər']],
    ['5.4-1', ['cede', 'cede', 'siːd'], ['seed', 'seed', 'siːd']],
    ['5.5-1', ['bass', 'bass', 'bæs']],
    ['5.5-2', ['refuse', 'refuse', 'rɪˈfjuːz'], ['refuse', 'refuse', 'ˈrefjuːs']],
    [
      '5.6-1',
      ['W3C', 'World Wide Web Consortium', null],
      ['101', 'one hundred and one', null],
      ['Thailand', 'tie land', null],
      ['BBC 1', 'be be sea one', null],
    ],
    ['C-1', ['New York', 'NY', null], ['York City', 'YC', null]],
  ];

/** Examples in unsupported languages or alphabets, and one with a typing error. */
const REFUSED_EXAMPLES: readonly [string, number, number, RegExp][] = [
  ['4.4-3', 2, 1, /xml:lang is zh-CN/],
  ['4.5-2', 2, 1, /xml:lang is jp/],
  ['4.6-3', 15, 5, /alphabet of a phoneme must be ipa or x-sampa/],
  ['5.3-2', 2, 1, /xml:lang is jp/],
  ['5.3-3', 13, 11, /well formed/],
];

describe('examples of the PLS recommendation', () => {
  const example = (name: string) => readFileSync(`${FOLDER}${name}.pls`);

  it.each(EXAMPLES)('include %s, which is accepted', (name, ...expected) => {
    const found = read(example(name), ['en', 'it', 'fr']);
    expect(summary(found)).toEqual(expected);
    expect(found.rules.every(({ caseSensitive }) => caseSensitive)).toBe(true);
    expect(read(writePls(found), ['en', 'it', 'fr'])).toEqual(found);
  });

  it.each(REFUSED_EXAMPLES)('include %s, which is rejected', (name, line, column, sentence) => {
    const [foundLine, foundColumn, message] = faultOf(example(name), ['en', 'it', 'fr']);
    expect(message).toMatch(sentence);
    expect([foundLine, foundColumn]).toEqual([line, column]);
  });

  it('are complete', () => {
    const names = [...EXAMPLES, ...REFUSED_EXAMPLES].map(([name]) => `${name}.pls`);
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.pls'));
    expect(files.sort()).toEqual(names.sort());
  });
});

it.each<[string, string, unknown[]]>([
  [
    'a lexeme without a pronunciation',
    '<lexeme><grapheme>a</grapheme></lexeme><lexeme><grapheme>b</grapheme><alias>c</alias></lexeme>',
    [['b', 'c', null]],
  ],
  [
    'X-SAMPA of one phoneme',
    '<lexeme><grapheme>refuse</grapheme><phoneme alphabet="x-sampa">rI"fju:z</phoneme></lexeme>',
    [['refuse', 'refuse', 'rɪˈfjuːz']],
  ],
  [
    'CDATA sections',
    '<lexeme><grapheme> a <![CDATA[<&]]>\n b</grapheme><alias>c</alias></lexeme>',
    [['a <& b', 'c', null]],
  ],
  [
    'foreign metadata and example texts',
    `<metadata><x:a xmlns:x="urn:x">x<x:b/></x:a></metadata>
     <lexeme><example>a <![CDATA[& b]]></example><grapheme>a</grapheme><alias>b</alias></lexeme>`,
    [['a', 'b', null]],
  ],
  [
    'a later, preferred lexeme of the same word',
    `<lexeme><grapheme>lead</grapheme><alias>led</alias></lexeme>
     <lexeme><grapheme>bead</grapheme><alias>beed</alias></lexeme>
     <lexeme><grapheme>lead</grapheme><phoneme prefer="true">liːd</phoneme></lexeme>`,
    [
      ['lead', 'lead', 'liːd'],
      ['bead', 'beed', null],
      ['lead', 'led', null],
    ],
  ],
])('a lexicon may contain %s', (_, content, expected) => {
  expect(summary(read(lexicon(content)))).toEqual(expected);
});

describe('invalid lexicon, with the position of the error', () => {
  const lexeme = '<lexeme><grapheme>a</grapheme><alias>b</alias></lexeme>';
  it.each<[string, string, number, number, RegExp]>([
    ['nothing', '', 1, 1, /well formed/],
    ['text', 'a lexicon', 1, 9, /well formed/],
    ['another root', '<speak version="1.0"/>', 1, 1, /root/],
    ['a wrong namespace', lexicon(lexeme).replace('2005/01', '2004/01'), 1, 1, /namespace/],
    ['no namespace', lexicon(lexeme).replace(NS, ''), 1, 1, /namespace/],
    ['no version', lexicon(lexeme, 'alphabet="ipa" xml:lang="en"'), 1, 1, /version/],
    ['version 2', lexicon(lexeme, 'version="2.0" alphabet="ipa" xml:lang="en"'), 1, 1, /version/],
    ['no language', lexicon(lexeme, 'version="1.0" alphabet="ipa"'), 1, 1, /xml:lang/],
    ['no alphabet', lexicon(lexeme, 'version="1.0" xml:lang="en"'), 1, 1, /alphabet/],
    [
      'a DTD',
      `<?xml version="1.0"?>\n<!DOCTYPE lexicon>\n${lexicon(lexeme)}`,
      2,
      1,
      /declarations/,
    ],
    ['an undefined entity', lexicon('<lexeme><grapheme>&a;</grapheme></lexeme>'), 2, 21, /entity/],
    ['a style sheet', `<?xml-stylesheet href="x"?>${lexicon(lexeme)}`, 1, 27, /other files/],
    ['a foreign element', lexicon('<x:i xmlns:x="urn:x"/>'), 2, 1, /namespace/],
    ['an unknown element', lexicon('<lexem/>'), 2, 1, /belong/],
    ['a lexeme in a lexeme', lexicon(`<lexeme>${lexeme}</lexeme>`), 2, 9, /belong/],
    ['text between elements', lexicon('word'), 3, 1, /between/],
    ['elements in text', lexicon('<lexeme><grapheme>a<b/></grapheme></lexeme>'), 2, 20, /text/],
    ['no grapheme', lexicon('\n <lexeme><alias>b</alias></lexeme>'), 3, 2, /grapheme/],
    ['an empty word', lexicon('<lexeme><grapheme> </grapheme></lexeme>'), 2, 9, /empty/],
    [
      'an empty phoneme',
      lexicon('<lexeme><grapheme>a</grapheme><phoneme/></lexeme>'),
      2,
      31,
      /empty/,
    ],
    [
      'another alphabet',
      lexicon('<lexeme><grapheme>a</grapheme><phoneme alphabet="x-foo">b</phoneme></lexeme>'),
      2,
      31,
      /alphabet/,
    ],
    [
      'wrong X-SAMPA',
      lexicon('<lexeme><grapheme>a</grapheme><phoneme alphabet="x-sampa">aé</phoneme></lexeme>'),
      2,
      31,
      /Character 2/,
    ],
    [
      'another prefer',
      lexicon('<lexeme><grapheme prefer="1">a</grapheme></lexeme>'),
      2,
      9,
      /prefer/,
    ],
    [
      'a long word',
      lexicon(`<lexeme><grapheme>${'a'.repeat(201)}</grapheme></lexeme>`),
      2,
      9,
      /200/,
    ],
    ['too many rules', lexicon(lexeme.repeat(101)), 2, 5555, /100 rules/],
    [
      '20-deep nesting',
      lexicon(`<metadata>${'<a xmlns="urn:x">'.repeat(20)}`),
      2,
      181,
      /12 levels/,
    ],
    ['an unclosed element', lexicon(lexeme).slice(0, -5), 3, 5, /well formed/],
    ['a duplicate ID', lexicon(twice()), 3, 66, /twice/],
  ])('%s', (_, xml, line, column, sentence) => {
    const [foundLine, foundColumn, message] = faultOf(xml);
    expect(message).toMatch(sentence);
    expect([foundLine, foundColumn]).toEqual([line, column]);
  });

  it('an entity bomb, before its expansion', () => {
    const entities = Array.from({ length: 20 }, (_, i) => `<!ENTITY e${i + 1} "&e${i};&e${i};">`);
    const bomb = `<?xml version="1.0"?>\n<!DOCTYPE lexicon [<!ENTITY e0 "ha">${entities.join('')}]>\n`;
    const xml = bomb + lexicon('<lexeme><grapheme>&e20;</grapheme></lexeme>');
    expect(faultOf(xml)).toEqual([2, 1, 'Document type declarations are refused']);
  });

  it('Latin-1 declared as UTF-8', () => {
    const xml = `<?xml version="1.0" encoding="UTF-8"?>\n${lexicon('\n  <!-- \ufffd --><!-- café -->')}`;
    const at = xml.indexOf('é');
    const head = new TextEncoder().encode(xml.slice(0, at));
    const bytes = Buffer.concat([head, Buffer.from(xml.slice(at), 'latin1')]);
    expect(faultOf(bytes)).toEqual([4, 21, 'The file is not in UTF-8, as it should be']);
  });

  it('a mismatched language', () => {
    expect(faultOf(lexicon('', 'version="1.0" alphabet="ipa" xml:lang="de-AT"'), ['en'])).toEqual([
      1,
      1,
      'xml:lang is de-AT, and should be en',
    ]);
  });
});

function twice(): string {
  const own = 'xmlns:p="urn:x-parley:pronunciation-dictionary" p:id="x"';
  const lexeme = `<lexeme ${own}><grapheme>a</grapheme><alias/></lexeme>`;
  return `${lexeme}\n${lexeme}`;
}

it('a long file is parsed like a short one in any chunking', () => {
  const word = (i: number) => `${'😀'.repeat(i % 7)}\r\n&amp;${i}`;
  const lexemes = Array.from(
    { length: 99 },
    (_, i) =>
      `<lexeme><grapheme>${word(i)}</grapheme><alias>${' '.repeat(1_000)}b</alias></lexeme>`,
  );
  const { rules } = read(lexicon(lexemes.join('\r\n')));
  expect(rules.map((rule) => rule.word)).toEqual(
    lexemes.map((_, i) => `${'😀'.repeat(i % 7)}${i % 7 ? ' ' : ''}&${i}`),
  );
  expect(faultOf(lexicon(`${lexemes.join('\n')}<oops/>`)).slice(0, 2)).toEqual([
    1 + 99 + 99,
    lexemes.at(-1)!.length - lexemes.at(-1)!.indexOf('\r') - 1,
  ]);
});

describe('encodings', () => {
  const xml = lexicon('<lexeme><grapheme>é</grapheme><alias>b</alias></lexeme>');
  it.each<[string, Uint8Array]>([
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${xml}`)],
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${xml}`, 'utf16le')],
    ['UTF-16 in the other byte order', Buffer.from(`\ufeff${xml}`, 'utf16le').swap16()],
    [
      'Latin-1 with a correct declaration',
      Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${xml}`, 'latin1'),
    ],
  ])('include %s', (_, bytes) => {
    expect(summary(read(bytes))).toEqual([['é', 'b', null]]);
  });

  it('are rejected if they are unknown', () => {
    expect(faultOf(`<?xml version="1.0" encoding="x-mine"?>${xml}`)[2]).toContain('encoding');
  });
});

describe('written lexicon', () => {
  const text = (maxLength: number) =>
    fc
      .oneof(fc.string({ maxLength, unit: 'binary' }), fc.string({ maxLength, unit: 'grapheme' }))
      .map((any) => any.slice(0, maxLength))
      .filter((any) => isXmlText(any) && [...any].length <= maxLength);
  const unusual = fc.constantFrom(
    ' a ',
    'a\r\nb',
    ']]>',
    '<&">',
    '\t',
    'x  y',
    "'",
    '\u0085',
    '\u2028x',
  );
  const filled = (maxLength: number) =>
    fc.oneof(text(maxLength), unusual).filter((any) => any.trim() !== '');
  const rule = fc.record<PronunciationRule>({
    id: fc.oneof(fc.uuid(), filled(20)),
    word: filled(30),
    replacement: fc.oneof(text(30), unusual),
    ipa: fc.option(filled(20)),
    caseSensitive: fc.boolean(),
  });

  it('is parsed back to the same rules', () => {
    const rules = fc.uniqueArray(rule, { selector: ({ id }) => id, maxLength: 6 });
    fc.assert(
      fc.property(rules, fc.constantFrom('en', 'it'), (given, language) => {
        const lexicon = { language, rules: given };
        expect(read(writePls(lexicon))).toEqual(lexicon);
      }),
      { numRuns: 1_500 },
    );
  });

  it('is PLS with a preferred transcription', () => {
    const rules = [
      { id: '1', word: 'A & B', replacement: 'a and b', ipa: 'eɪ', caseSensitive: false },
      { id: '2', word: 'x', replacement: 'x', ipa: 'ɛks', caseSensitive: true },
    ];
    expect(writePls({ language: 'en', rules })).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<lexicon version="1.0" xmlns="http://www.w3.org/2005/01/pronunciation-lexicon" xmlns:parley="urn:x-parley:pronunciation-dictionary" alphabet="ipa" xml:lang="en">
<lexeme parley:id="1" parley:case-sensitive="false"><grapheme>A &amp; B</grapheme><phoneme>eɪ</phoneme><alias>a and b</alias></lexeme>
<lexeme parley:id="2"><grapheme>x</grapheme><phoneme>ɛks</phoneme></lexeme>
</lexicon>
`);
  });
});

it('any input is parsed or rejected with a position', () => {
  const part = fc.constantFrom(
    '<lexeme>',
    '</lexeme>',
    '<grapheme>',
    '</grapheme>',
    '<alias/>',
    'a',
  );
  const more = fc.constantFrom(
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?x',
    '?>',
    '&lt;',
    '"',
    '<metadata>',
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(part, more, fc.string({ maxLength: 3 })), { maxLength: 12 }),
      (parts) => {
        try {
          read(lexicon(parts.join('')));
        } catch (error) {
          expect(error).toBeInstanceOf(PlsError);
        }
      },
    ),
    { numRuns: 1_000 },
  );
});

it.each([
  ['"dZVdZ.m@nt', 'ˈdʒʌdʒ.mənt'],
  ['%sEp@"rEI S@n', 'ˌsɛpəˈrɛɪ ʃən'],
  ['t_hIn=', 'tʰɪn̩'],
  ['S\\', 1],
  ['r\\`O~:', 'ɻɔ̃ː'],
  ['g_<a:\\', 'ɠaˑ'],
  ['a|\\|\\b', 'aǁb'],
  ['a$', 1],
])('X-SAMPA %s is IPA %s', (xsampa, ipa) => {
  expect(ipaOfXSampa(xsampa)).toBe(typeof ipa === 'string' ? ipa.normalize('NFC') : ipa);
});
