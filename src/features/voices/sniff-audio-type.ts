export const AUDIO_FILE_TYPES = ['mp3', 'wav', 'ogg', 'm4a'] as const;
export type AudioFileType = (typeof AUDIO_FILE_TYPES)[number];

/** A frame begins with eleven set bits. */
const MP3_SYNC = 0xffe0;

/**
 * The type of an audio file by its first bytes; undefined if unknown.
 * Source: RFC 3533 (Ogg), ISO/IEC 14496-12 (M4A), ISO/IEC 11172-3 and id3.org (MP3).
 */
export function sniffAudioType(bytes: Uint8Array): AudioFileType | undefined {
  if (hasText(bytes, 0, 'RIFF') && hasText(bytes, 8, 'WAVE')) return 'wav';
  if (hasText(bytes, 0, 'OggS')) return 'ogg';
  if (hasText(bytes, 4, 'ftyp')) return isVideoOnly(bytes) ? undefined : 'm4a';
  if (hasText(bytes, 0, 'ID3') || isMp3Frame(bytes)) return 'mp3';
  return undefined;
}

function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  if (bytes.length < at + text.length) return false;
  return [...text].every((character, i) => bytes[at + i] === character.charCodeAt(0));
}

/** Image and QuickTime files begin with the same box. */
function isVideoOnly(bytes: Uint8Array): boolean {
  return ['qt  ', 'heic', 'heix', 'mif1', 'avif'].some((brand) => hasText(bytes, 8, brand));
}

function isMp3Frame(bytes: Uint8Array): boolean {
  if (bytes.length < 4) return false;
  const head = ((bytes[0]! << 8) | bytes[1]!) & 0xffff;
  if ((head & MP3_SYNC) !== MP3_SYNC) return false;
  const version = (head >> 3) & 3;
  const layer = (head >> 1) & 3;
  const bitrate = bytes[2]! >> 4;
  const rate = (bytes[2]! >> 2) & 3;
  return version !== 1 && layer === 1 && bitrate !== 0 && bitrate !== 15 && rate !== 3;
}
