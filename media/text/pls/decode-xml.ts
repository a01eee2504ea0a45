import { PlsError } from './pls-error.js';

const DECLARED = /^<\?xml\s[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/;
/** Number of bytes in which the XML declaration must end. */
const DECLARATION_BYTES = 300;

/**
 * Decodes an XML file by its byte order mark, otherwise by its declaration, otherwise as UTF-8.
 * @throws PlsError with the position of the first invalid character, or for an unknown encoding
 */
export function decodeXml(bytes: Uint8Array): string {
  const label = (byMark(bytes) ?? declared(bytes) ?? 'utf-8').toLowerCase();
  const decoder = decoderOf(label);
  try {
    return decoder.decode(bytes);
  } catch {
    throw faultIn(bytes, label);
  }
}

function byMark([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return 'utf-16le';
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return 'utf-16be';
  return undefined;
}

function declared(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, DECLARATION_BYTES));
  return DECLARED.exec(start)?.[1];
}

function decoderOf(label: string) {
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    throw new PlsError('The encoding that the file declares is not known', 1, 1);
  }
}

function faultIn(bytes: Uint8Array, label: string): PlsError {
  const lenient = new TextDecoder(label).decode(bytes);
  const at = label === 'utf-8' ? firstBroken(bytes) : Math.max(0, lenient.indexOf('\ufffd'));
  const before = lenient.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  return new PlsError(`The file is not in ${label.toUpperCase()}, as it should be`, line, column);
}

/** Returns the index of the first invalid character. A search for U+FFFD is not enough: it may be valid text. */
function firstBroken(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isWhole(bytes.subarray(0, middle + 1))) low = middle + 1;
    else high = middle;
  }
  return new TextDecoder().decode(bytes.subarray(0, low)).replace(/\ufffd$/, '').length;
}

/** Whether the bytes are UTF-8, except for an incomplete character at the end. */
function isWhole(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
