/** The supported kinds of documents. */
export const DOCUMENT_KINDS = ['text', 'markdown', 'html', 'pdf', 'docx'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

const KIND_BY_EXTENSION: Readonly<Record<string, DocumentKind>> = {
  txt: 'text',
  text: 'text',
  csv: 'text',
  md: 'markdown',
  markdown: 'markdown',
  htm: 'html',
  html: 'html',
  xhtml: 'html',
};

/** Bytes from the start of the file. */
const SAMPLE_BYTES = 4_096;
const HTML = /^\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,500}-->\s*)?<(?:!doctype\s+html|html)\b/i;

/**
 * A file's kind by its first bytes, else by its extension. A text with an unknown extension is `text`.
 */
export function documentKindOf(name: string, bytes: Uint8Array): DocumentKind | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SAMPLE_BYTES));
  // Some programs write a few bytes before the PDF header.
  if (start.subarray(0, 1_024).includes('%PDF-')) return 'pdf';
  if (start.subarray(0, 4).equals(Buffer.from('PK\x03\x04'))) {
    return extensionOf(name) === 'docx' ? 'docx' : undefined;
  }
  const hasUtf16Mark =
    (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff);
  if (start.includes(0) && !hasUtf16Mark) return undefined;
  if (isHtml(start.toString('latin1'))) return 'html';
  return (
    KIND_BY_EXTENSION[extensionOf(name)] ?? (isUtf8(start) || hasUtf16Mark ? 'text' : undefined)
  );
}

/** The last character may be incomplete. */
function isUtf8(start: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Whether a text is an HTML page. */
export function isHtml(text: string): boolean {
  return HTML.test(text.slice(0, SAMPLE_BYTES));
}

function extensionOf(name: string): string {
  return /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
}
