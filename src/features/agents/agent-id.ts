import { randomBytes } from 'node:crypto';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a path segment can be an agent's id at all; others are 404 without a query. */
export function isAgentId(text: string): boolean {
  return UUID.test(text);
}

/**
 * A UUID that sorts by its time, so that "newest first, ties by id" is the order of making.
 * Source: RFC 9562, version 7.
 */
export function makeAgentId(nowMs: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return [...parts, hex.slice(20)].join('-');
}
