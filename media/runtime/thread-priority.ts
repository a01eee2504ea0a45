import { constants, setPriority } from 'node:os';

/** Nice value: a third of the CPU weight of a thread that paces frames. Source: sched(7), nice values. */
const BEHIND_CALLS = 5;

/** Lowers the calling thread below the threads that pace audio frames. For models whose results callers wait for. */
export function lowerThreadPriority(): void {
  lower(BEHIND_CALLS);
}

/** Lowers the calling thread below all others. For background work. */
export function runAtLowestPriority(): void {
  lower(constants.priority.PRIORITY_LOW);
}

/**
 * Sets the nice value of the calling thread for its lifetime. Does nothing on other systems than Linux, on
 * which the value would apply to the process. Source: setpriority(2), "C library/kernel differences".
 */
function lower(niceness: number): void {
  if (process.platform === 'linux') setPriority(0, niceness);
}
