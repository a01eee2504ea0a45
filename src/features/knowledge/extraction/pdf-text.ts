import { getDocumentProxy } from 'unpdf';
import {
  type ExtractedText,
  type ExtractionLimits,
  tooLong,
  UnreadableDocument,
} from './extraction.js';

interface Line {
  readonly text: string;
  /** Font size in points. */
  readonly height: number;
  /** Whether the space above is larger than between lines. */
  readonly isApart: boolean;
}

interface Item {
  readonly str: string;
  readonly height: number;
  readonly hasEOL: boolean;
  readonly transform: readonly number[];
}

/** The others are marks of structure. */
function isText(item: unknown): item is Item {
  return typeof item === 'object' && item !== null && 'str' in item;
}

/** Relative font size of titles. */
const TITLE_FACTOR = 1.15;
const MAX_TITLE_LENGTH = 120;
/** Space between paragraphs, relative to the font size. */
const APART = 1.7;

/** Extracts the text of a PDF. Titles are detected by font size. @throws UnreadableDocument */
export async function pdfText(bytes: Uint8Array, limits: ExtractionLimits): Promise<ExtractedText> {
  const document = await open(bytes);
  if (document.numPages > limits.pages) {
    throw new UnreadableDocument(`The document has more than ${limits.pages} pages`);
  }
  const lines: Line[] = [];
  let characters = 0;
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    for (const line of linesOf((items as readonly unknown[]).filter(isText))) {
      characters += line.text.length;
      if (characters > limits.characters) tooLong(limits);
      lines.push(line);
    }
    page.cleanup();
  }
  const { info } = await document.getMetadata().catch(() => ({ info: undefined }));
  const title = (info as { Title?: unknown } | undefined)?.Title;
  if (characters === 0) {
    throw new UnreadableDocument('The document contains no text: scanned pages are not supported');
  }
  return { text: written(lines), title: typeof title === 'string' ? title : '' };
}

async function open(bytes: Uint8Array) {
  try {
    return await getDocumentProxy(bytes, {
      isEvalSupported: false,
      disableFontFace: true,
      useSystemFonts: false,
      maxImageSize: 0,
      verbosity: 0,
    });
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    throw new UnreadableDocument(
      isLocked ? 'The document is protected by a password' : 'The file is not a complete PDF',
      {
        cause: error,
      },
    );
  }
}

function linesOf(items: readonly Item[]): Line[] {
  const lines: Line[] = [];
  let text = '';
  let height = 0;
  let lastY: number | undefined;
  let y = 0;
  const end = () => {
    const words = text.replace(/\s+/g, ' ').trim();
    if (words !== '') {
      const gap = lastY === undefined ? Number.POSITIVE_INFINITY : Math.abs(lastY - y);
      lines.push({ text: words, height, isApart: gap > APART * height });
      lastY = y;
    }
    text = '';
    height = 0;
  };
  for (const item of items) {
    const at = item.transform[5] ?? 0;
    // The text is on another line, although no end of the last line was reported.
    if (text !== '' && Math.abs(at - y) > Math.max(item.height, height) * 0.7) end();
    if (item.str.trim() !== '') {
      if (text === '') y = at;
      height = Math.max(height, item.height);
    }
    text += item.str;
    if (item.hasEOL) end();
  }
  end();
  return lines;
}

function written(lines: readonly Line[]): string {
  const body = usualHeight(lines);
  let text = '';
  let wasTitle = false;
  for (const line of lines) {
    const isTitle = line.height > body * TITLE_FACTOR && line.text.length <= MAX_TITLE_LENGTH;
    if (isTitle) {
      text +=
        wasTitle && !line.isApart
          ? ` ${line.text}`
          : `\n\n${marks(line.height / body)} ${line.text}`;
    } else if (line.isApart || wasTitle) text += `\n\n${plain(line.text)}`;
    // Joins a hyphenated word.
    else if (/\p{L}-$/u.test(text) && /^\p{Ll}/u.test(line.text))
      text = text.slice(0, -1) + line.text;
    else text += `\n${plain(line.text)}`;
    wasTitle = isTitle;
  }
  return text;
}

function marks(factor: number): string {
  if (factor > 1.8) return '#';
  return factor > 1.4 ? '##' : '###';
}

/** Converts bullets to list items, and removes title marks. */
function plain(text: string): string {
  return text.replace(/^[#|]+\s*/, '').replace(/^[•▪◦‣●○–]\s*/, '- ');
}

/** The most frequent font size. */
function usualHeight(lines: readonly Line[]): number {
  const letters = new Map<number, number>();
  for (const { height, text } of lines) {
    const rounded = Math.round(height * 2) / 2;
    letters.set(rounded, (letters.get(rounded) ?? 0) + text.length);
  }
  const [usual] = [...letters].reduce((most, next) => (next[1] > most[1] ? next : most), [0, 0]);
  return usual || Number.POSITIVE_INFINITY;
}
