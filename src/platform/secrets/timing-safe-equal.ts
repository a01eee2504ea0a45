import { timingSafeEqual } from 'node:crypto';

/** Compares hashes and signatures in constant time. */
export function isSameHash(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
