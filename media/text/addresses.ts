import type { SpokenForm } from './aligned-text.js';

/** Spoken names of the signs in e-mail and web addresses. */
export type SignNames = ReadonlyMap<string, string>;

/** How a language speaks addresses. */
export interface AddressVoice {
  readonly signs: SignNames;
  /** Returns the spoken form of letters that are not a word. */
  spell(letters: string): string;
}

/** Endings of host names that are spoken as words. Other endings of two letters are spelt. */
const SAID_AS_WORDS = new Set(['co', 'me', 'us', 'it', 'be', 'in', 'to', 'so']);
const TOP_LEVEL =
  'com|org|net|edu|gov|info|biz|io|co|uk|de|fr|us|ca|au|tv|me|ly|ai|eu|ch|es|it|nl|se|pl|pt|ru|cat|dev|app';
/** UTF-16 units. If the path is longer, only the host is spoken. */
const MAX_PATH_LENGTH = 40;

const EMAIL = /(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}(?![\w@])/gi;
const WITH_SCHEME = /(?<![\w./])(?:https?:\/\/|ftp:\/\/|www\.)[^\s<>"”’)\]]{1,2000}/gi;
const HOST = new RegExp(
  `(?<![\\w.@/-])(?:[a-z\\d-]{1,63}\\.){1,4}(?:${TOP_LEVEL})(?:/[\\w./?=&%#~+-]{0,200})?(?![\\w@])`,
  'gi',
);

/** Returns the rules that write e-mail and web addresses in words. */
export function addresses(voice: AddressVoice): SpokenForm[] {
  const said = (found: string) => {
    const address = found.replace(/[.,;:!?'*_/]+$/, '');
    const tail = found.slice(address.length).replaceAll('/', '');
    return addressInWords(withoutLongPath(address), voice) + tail;
  };
  return [
    { pattern: EMAIL, needs: '@', say: ([found]) => addressInWords(found, voice) },
    { pattern: WITH_SCHEME, say: ([found]) => said(found.replace(/^[a-z]+:\/\//i, '')) },
    {
      pattern: HOST,
      needs: '.',
      say: ([found]) => (/^[\d.]+$/.test(found) ? undefined : said(found)),
    },
  ];
}

function withoutLongPath(address: string): string {
  const [host = '', ...path] = address.split(/(?=[/?#])/);
  return path.join('').length > MAX_PATH_LENGTH ? host : address;
}

function addressInWords(address: string, voice: AddressVoice): string {
  const pieces = address.match(/\p{L}+|\d+|[^\s\p{L}\d]/gu) ?? [];
  return pieces.map((piece, i) => pieceInWords(piece, pieces[i - 1], voice)).join(' ');
}

function pieceInWords(piece: string, before: string | undefined, voice: AddressVoice): string {
  const sign = voice.signs.get(piece);
  if (sign !== undefined) return sign;
  const isShort = piece.length === 1 || (piece.length === 2 && before === '.');
  const isSpelt = piece.toLowerCase() === 'www' || isShort;
  return /^[A-Za-z]+$/.test(piece) && isSpelt && !SAID_AS_WORDS.has(piece.toLowerCase())
    ? voice.spell(piece)
    : piece;
}
