import type { DocumentKind } from './document-kind.js';

/** Limits for one document. */
export interface ExtractionLimits {
  readonly characters: number;
  readonly pages: number;
  /** Entries of an archive. */
  readonly entries: number;
  readonly inflatedBytes: number;
}

/** 2,000 printed pages have some 4 million characters. */
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

/** Limits of the extraction process per document. */
export interface ExtractionBounds {
  readonly limits: ExtractionLimits;
  readonly timeoutMs: number;
  /** Memory of the whole process. About 60 MB of it are libraries. */
  readonly memoryBytes: number;
}

/** A file is sent in parts, so that none of them blocks the sender. */
export type ToSupervisor =
  | { readonly type: 'file' }
  | { readonly type: 'part'; readonly bytes: Uint8Array }
  | { readonly type: 'read'; readonly kind: DocumentKind };

/**
 * A document's text with its structure: titles begin with `#`, list items with `-`, table rows are in
 * Markdown, and an empty line separates paragraphs.
 */
export interface ExtractedText {
  readonly text: string;
  /** Empty if the document has none. */
  readonly title: string;
}

/** Why a document has no usable text. The message is for its owner. */
export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
}

export type ExtractionReply =
  | { readonly ok: true; readonly output: ExtractedText }
  | { readonly ok: false; readonly reason: string };

/** Removes control characters and normalises white space. */
export function cleanText(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
      .replace(/[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u00ad\ufeff]|\p{Surrogate}/gu, '')
      .replace(/\r\n?|[\f\u2028\u2029]/g, '\n')
      .replace(/[ \t\u00a0]+/g, ' ')
      .replace(/\n(?: ?\n){2,}/g, '\n\n')
      .trim()
  );
}

/** @throws UnreadableDocument */
export function tooLong({ characters }: ExtractionLimits): never {
  throw new UnreadableDocument(`The text of the document is longer than ${characters} characters`);
}
