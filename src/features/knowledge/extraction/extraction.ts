import type { DocumentKind } from './document-kind.js';

/** What is taken of a document at most; the process that does it has bounds of its own. */
export interface ExtractionLimits {
  readonly characters: number;
  readonly pages: number;
  /** Of an archive. */
  readonly entries: number;
  readonly inflatedBytes: number;
}

/** Source: 2,000 printed pages have some 4 million characters; nothing a caller asks about is longer. */
export const EXTRACTION_LIMITS: ExtractionLimits = {
  characters: 2_000_000,
  pages: 2_000,
  entries: 2_000,
  inflatedBytes: 100 * 1_048_576,
};

export interface ExtractionJob {
  readonly kind: DocumentKind;
  readonly bytes: Uint8Array;
  readonly limits: ExtractionLimits;
}

/** What one document may take. */
export interface ExtractionBounds {
  readonly limits: ExtractionLimits;
  readonly timeoutMs: number;
  /** Of the process as a whole; some 60 MB are the libraries. */
  readonly memoryBytes: number;
}

/** A file goes over in parts, so that none of them holds up the sender. */
export type ToSupervisor =
  | { readonly type: 'file' }
  | { readonly type: 'part'; readonly bytes: Uint8Array }
  | { readonly type: 'read'; readonly kind: DocumentKind };

/**
 * A document's text with its structure: titles begin with `#`, items of lists with `-`, rows of
 * tables are written as in Markdown, and an empty line parts paragraphs.
 */
export interface ExtractedText {
  readonly text: string;
  /** The document's own, if it has one. */
  readonly title: string;
}

/** Why a document has no text for us: a sentence for its owner. */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
}

export type ExtractionReply =
  | { readonly ok: true; readonly output: ExtractedText }
  | { readonly ok: false; readonly reason: string };

/** Without what no database stores and no voice says. */
export function cleanText(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
      .replace(/[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u00ad\ufeff]|\p{Surrogate}/gu, '')
      .replace(/\r\n?|[\f\u2028\u2029]/g, '\n')
      .replace(/[ \t\u00a0]+/g, ' ')
      .replace(/\n(?: ?\n){2,}/g, '\n\n')
      .trim()
  );
}

/** @throws UnreadableDocument */
export function tooLong({ characters }: ExtractionLimits): never {
  throw new UnreadableDocument(`Its text is longer than ${characters} characters`);
}
