import { afterAll, describe, expect, it, vi } from 'vitest';
import type { DocumentKind } from '../../../../src/features/knowledge/extraction/document-kind.js';
import { EXTRACTION_LIMITS } from '../../../../src/features/knowledge/extraction/extraction.js';
import {
  ExtractionStopped,
  TextExtractor,
} from '../../../../src/features/knowledge/extraction/text-extractor.js';
import {
  docxBomb,
  lyingDocxBomb,
  pdfBomb,
  realDocument,
} from '../../../support/corpora/documents.js';

// File extraction has the lowest CPU priority.
vi.setConfig({ testTimeout: 60_000 });

const extractor = new TextExtractor();
afterAll(() => extractor.close());

const textOf = async (kind: DocumentKind, bytes: string | Buffer) =>
  (await extractor.extract(kind, [Buffer.from(bytes)])).text;

describe('text of a document', () => {
  it('is extracted from a PDF, with large letters as titles', async () => {
    const { text, title } = await extractor.extract('pdf', [realDocument('ferry.pdf')]);
    expect(title).toBe('Ferry guide');
    expect(text).toMatch(/^# Ferry to Skarholm\n\nThe ferry crosses the sound every forty minutes/);
    expect(text).toMatch(/\n\n## Vehicles\n\nCars pay two hundred crowns each way\. Caravans/);
  });

  it('is extracted from a Word document, with its tables and lists', async () => {
    const text = await textOf('docx', realDocument('house-rules.docx'));
    expect(text).toMatch(/# Breakfast\n\nBreakfast is served from seven/);
    expect(text).toContain('| Room with a sea view | 96 pounds |');
    expect(text).toMatch(/## Please remember\n- Keys go back to the letter box by ten\.\n- Wet/);
  });

  it('is extracted from an HTML page, without invisible parts', async () => {
    const page = `<html><head><title>A &amp; B</title><script>alert(1)</script></head><body><nav>Home</nav>
      <h1>Prices</h1><p>A <b>swim</b> costs<br>four.</p><ul><li>one<li><p>two</p></ul>
      <table><tr><th>Room<th>Price<tr><td>Single<td>89</table><!-- no --><style>p{}</style></body>`;
    expect(await extractor.extract('html', [Buffer.from(page)])).toEqual({
      title: 'A & B',
      text: '# Prices\n\nA swim costs\nfour.\n- one\n- two\n| Room | Price |\n| --- | --- |\n| Single | 89 |',
    });
  });

  it('is extracted from Markdown without its markup', async () => {
    const markdown =
      'Title\n=====\n\nSee [*here*](http://x.y).\n\n```sh\n# no title\n```\n\n1. one\n2. two';
    expect(await textOf('markdown', markdown)).toBe(
      '# Title\n\nSee here.\n\nno title\n- one\n- two',
    );
  });

  it('is decoded with its character set', async () => {
    expect(await textOf('text', Buffer.from('caf\xe9', 'latin1'))).toBe('café');
    expect(await textOf('text', Buffer.from('\ufeffcafé', 'utf16le'))).toBe('café');
    const page = Buffer.from('<meta charset="koi8-r"><p>\xcd\xc9\xd2', 'latin1');
    expect(await textOf('html', page)).toBe('мир');
    expect(await textOf('text', 'a\0b\u0007 c\r\nd')).toBe('ab c\nd');
  });
});

describe('unreadable document', () => {
  const deep = '<div>'.repeat(100_000);
  const cases: [string, DocumentKind, () => string | Buffer | Promise<Buffer>, RegExp][] = [
    ['no words', 'text', () => ' \n -- ', /no words/],
    ['a page without words', 'html', () => '<p>&nbsp;<br>', /no words/],
    ['a page that is too deep', 'html', () => deep, /too deeply/],
    ['half a PDF', 'pdf', () => realDocument('ferry.pdf').subarray(0, 9_000), /PDF|no text/],
    ['a PDF of nothing', 'pdf', () => '%PDF-1.7\n', /not a complete PDF/],
    [
      'half an archive',
      'docx',
      () => realDocument('house-rules.docx').subarray(0, 9_000),
      /damaged/,
    ],
    ['another archive', 'docx', () => docxBomb(10), /not a valid Word document/],
    ['an archive that inflates', 'docx', () => docxBomb(120_000_000), /archive is too large/],
    ['one with a false size', 'docx', () => lyingDocxBomb(120_000_000), /damaged/],
    ['one of many entries', 'docx', () => docxBomb(10, 2_500), /archive is too large/],
  ];
  it.each(cases)('returns an error: %s', async (_, kind, bytes, reason) => {
    await expect(textOf(kind, await bytes())).rejects.toThrow(reason);
  });

  it('is abandoned if it is too long, too slow or needs too much memory, and the next one is extracted', async () => {
    const bounded = new TextExtractor({
      limits: { ...EXTRACTION_LIMITS, characters: 100, pages: 0 },
    });
    const html = Buffer.from('<p>word '.repeat(50));
    await expect(bounded.extract('html', [html])).rejects.toThrow(/longer than 100 characters/);
    await expect(bounded.extract('pdf', [realDocument('ferry.pdf')])).rejects.toThrow(
      /than 0 pages/,
    );
    await bounded.close();
    const hasty = new TextExtractor({ timeoutMs: 1 });
    await expect(hasty.extract('text', [html])).rejects.toThrow(/takes too long/);
    await hasty.close();
    const limitedExtractor = new TextExtractor({ memoryBytes: 200 * 1_048_576 });
    limitedExtractor.start();
    const { pid } = limitedExtractor;
    const bomb = limitedExtractor.extract('pdf', [pdfBomb(300_000_000)]);
    const next = limitedExtractor.extract('text', [Buffer.from('Hello.')]);
    await expect(bomb).rejects.toThrow(process.platform === 'linux' ? /memory/ : /./);
    expect((await next).text).toBe('Hello.');
    // The abandoned process was a grandchild: this process forks only once.
    expect(limitedExtractor.pid).toBe(pid);
    await limitedExtractor.close();
  });
});

describe('text extractor', () => {
  it('accepts a file in parts, and drops those of an aborted one', async () => {
    const lost = new Error('The database is gone');
    async function* broken() {
      yield Buffer.from('Half a ');
      throw lost;
    }
    await expect(extractor.extract('text', broken())).rejects.toBe(lost);
    const parts = [Buffer.from('The caf\xc3', 'latin1'), Buffer.from('\xa9 is open.', 'latin1')];
    expect((await extractor.extract('text', parts)).text).toBe('The café is open.');
  });

  it('restarts its process after its death, without failing a document', async () => {
    const mortal = new TextExtractor();
    async function* deadly() {
      process.kill(mortal.pid!, 'SIGKILL');
      await expect.poll(() => mortal.pid, { timeout: 30_000 }).toBeUndefined();
      yield Buffer.from('Hello.');
    }
    await expect(mortal.extract('text', deadly())).rejects.toThrow(ExtractionStopped);
    expect((await mortal.extract('text', [Buffer.from('Hello.')])).text).toBe('Hello.');
    await mortal.close();
    expect(mortal.pid).toBeUndefined();
    await expect(mortal.extract('text', [])).rejects.toThrow(ExtractionStopped);
  });
});
