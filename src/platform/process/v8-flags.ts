import { setFlagsFromString } from 'node:v8';

/** After a full collection the heap may become twice as large. Source: measured, see below. */
export const HEAP_GROWTH = '--heap-growing-percent=100';

/**
 * Makes full collections rare, for as long as the process lives. V8 by itself lets a heap of calls grow by
 * little more than a tenth, as that costs few percent of the time; but each full collection holds up the
 * thread that keeps frames for 10–20 ms. In a minute of `bench -- telephony` with 20 and 40 calls there
 * were 20 of them, and with this 7: the 99th percentile of frames' lateness was 10–15 ms instead of 20–30.
 * A larger growth makes them rarer still, but takes more than 2 MB a call (`bench -- density --instant`).
 */
export function letHeapGrow(): void {
  setFlagsFromString(HEAP_GROWTH);
}
