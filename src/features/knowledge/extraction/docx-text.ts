import mammoth from 'mammoth';
import { fromBufferPromise } from 'yauzl';
import { type ExtractedText, type ExtractionLimits, UnreadableDocument } from './extraction.js';
import { htmlText } from './html-text.js';

/** Extracts the text of a Word document. @throws UnreadableDocument */
export async function docxText(bytes: Buffer, limits: ExtractionLimits): Promise<ExtractedText> {
  await checkArchive(bytes, limits);
  let html: string;
  try {
    const ignore = () => Promise.resolve({ src: '' });
    const options = {
      convertImage: mammoth.images.imgElement(ignore),
      styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"],
    };
    html = (await mammoth.convertToHtml({ buffer: bytes }, options)).value;
  } catch (cause) {
    throw new UnreadableDocument('The file is not a valid Word document', { cause });
  }
  return htmlText(html, limits);
}

/**
 * Inflates every entry without storing it, because the sizes in an archive may be wrong and the library
 * that reads the document trusts them.
 */
async function checkArchive(bytes: Buffer, limits: ExtractionLimits): Promise<void> {
  let inflated = 0;
  const tooLarge = () => new UnreadableDocument('The unpacked archive is too large');
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true });
    if (zip.entryCount > limits.entries) throw tooLarge();
    for await (const entry of zip.eachEntry()) {
      if (inflated + entry.uncompressedSize > limits.inflatedBytes) throw tooLarge();
      if (entry.fileName.endsWith('/')) continue;
      for await (const part of await zip.openReadStreamPromise(entry)) {
        inflated += (part as Buffer).length;
        if (inflated > limits.inflatedBytes) throw tooLarge();
      }
    }
  } catch (error) {
    if (error instanceof UnreadableDocument) throw error;
    throw new UnreadableDocument('The archive is damaged', { cause: error });
  }
}
