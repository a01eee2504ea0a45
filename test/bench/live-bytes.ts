import { getHeapCodeStatistics } from 'node:v8';

/**
 * What is alive after a collection, buffers included; what is resident grows as a collector that has room
 * likes.
 */
export function liveBytes(collect: () => void): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  // The engine compiles for many minutes, and that comes to an end by itself.
  return heapUsed + external - getHeapCodeStatistics().code_and_metadata_size;
}
