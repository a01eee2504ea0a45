import { TextDecoder } from 'node:util';
import { marked } from 'marked';
import { docxText } from './docx-text.js';
import {
  cleanText,
  type ExtractedText,
  type ExtractionJob,
  type ExtractionLimits,
  tooLong,
  UnreadableDocument,
} from './extraction.js';
import { htmlText } from './html-text.js';
import { pdfText } from './pdf-text.js';

/** Extracts the text of a document. @throws UnreadableDocument */
export async function extractText(job: ExtractionJob): Promise<ExtractedText> {
  const found = await textOf({ ...job, bytes: Buffer.from(job.bytes) });
  const text = cleanText(found.text);
  if (text.length > job.limits.characters) tooLong(job.limits);
  if (!/[\p{L}\p{N}]/u.test(text)) throw new UnreadableDocument('The document contains no words');
  return { text, title: cleanText(found.title).slice(0, 300) };
}

async function textOf({
  kind,
  bytes,
  limits,
}: ExtractionJob & { readonly bytes: Buffer }): Promise<ExtractedText> {
  switch (kind) {
    case 'text':
      return { text: decode(bytes), title: '' };
    case 'markdown':
      return markdownText(decode(bytes), limits);
    case 'html':
      return htmlText(decode(bytes), limits);
    case 'pdf':
      return pdfText(new Uint8Array(bytes), limits);
    case 'docx':
      return docxText(bytes, limits);
  }
}

/** Converts Markdown to HTML first, to use the library's parser. */
function markdownText(markdown: string, limits: ExtractionLimits): ExtractedText {
  const withoutHead = markdown.replace(/^---\n[\s\S]{0,10000}?\n---\n/, '');
  return htmlText(marked.parse(withoutHead, { async: false, gfm: true }), limits);
}

const DECLARED = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})/i;

/** Tries the byte order mark, UTF-8, the page's declared charset, then Windows-1252. */
function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const declared = DECLARED.exec(bytes.subarray(0, 4_096).toString('latin1'))?.[1];
    return decoderFor(declared).decode(bytes);
  }
}

function decoderFor(label: string | undefined): TextDecoder {
  try {
    return new TextDecoder(label ?? 'windows-1252');
  } catch {
    return new TextDecoder('windows-1252'); // The declared charset is unknown.
  }
}
