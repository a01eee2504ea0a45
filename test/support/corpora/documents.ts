import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { deflateSync } from 'node:zlib';
import { ZipFile } from 'yazl';

/** A document written by another program: the PDF by Chromium, the Word file by python-docx. */
export function realDocument(name: 'ferry.pdf' | 'house-rules.docx'): Buffer {
  return readFileSync(`test/fixtures/documents/${name}`);
}

/** A small one-page PDF whose content stream inflates to `bytes` bytes. */
export function pdfBomb(bytes: number): Buffer {
  const content = deflateSync(deflateSync(Buffer.alloc(bytes, ' ')));
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<<>>>>',
  ].map((object, i) => Buffer.from(`${i + 1} 0 obj\n${object}\nendobj\n`));
  const head = `4 0 obj\n<</Filter[/FlateDecode/FlateDecode]/Length ${content.length}>>stream\n`;
  return Buffer.concat([
    Buffer.from('%PDF-1.4\n'),
    ...objects,
    Buffer.from(head),
    content,
    Buffer.from('\nendstream\nendobj\ntrailer<</Root 1 0 R>>\n'),
  ]);
}

/** A Word document with `entries` ZIP entries, whose text inflates to `bytes` bytes. */
export async function docxBomb(bytes: number, entries = 1): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.alloc(bytes, 'a'), 'word/document.xml');
  for (let i = 1; i < entries; i++) zip.addEmptyDirectory(`folder-${i}`);
  zip.end();
  return buffer(zip.outputStream);
}

/** Like `docxBomb`, but its ZIP directory declares a size of 1,000 bytes. */
export async function lyingDocxBomb(bytes: number): Promise<Buffer> {
  const zip = await docxBomb(bytes);
  const central = zip.lastIndexOf('PK\x01\x02', undefined, 'latin1');
  zip.writeUInt32LE(1_000, central + 24);
  return zip;
}
