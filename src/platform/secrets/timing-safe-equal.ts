import { timingSafeEqual } from 'node:crypto';

/** Compares hashes and signatures in a time that does not tell how much of them was right. */
export function isSameHash(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
