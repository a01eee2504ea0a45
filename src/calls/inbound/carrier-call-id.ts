import { createHash } from 'node:crypto';

/** Derives the id of a call from the carrier's id. Every gateway derives the same id. */
export function callIdOf(carrier: string, carrierCallId: string): string {
  const hash = createHash('sha256').update(`parley ${carrier} ${carrierCallId}`).digest();
  // Source: RFC 9562, §5.8: version 8, custom data.
  hash[6] = (hash[6]! & 0x0f) | 0x80;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
