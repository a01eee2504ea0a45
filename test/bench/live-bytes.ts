import { getHeapCodeStatistics } from 'node:v8';

/**
 * Live memory after a garbage collection, including buffers. Resident memory would depend on the
 * collector.
 */
export function liveBytes(collect: () => void): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  // Compiled code grows for several minutes up to a limit.
  return heapUsed + external - getHeapCodeStatistics().code_and_metadata_size;
}
