import { constants, setPriority } from 'node:os';

/** A third of the weight of a thread that keeps frames on time. Source: sched(7), nice values. */
const BEHIND_CALLS = 5;

/** Lowers the calling thread below the threads that pace audio frames: for work that a caller waits for. */
export function lowerThreadPriority(): void {
  lower(BEHIND_CALLS);
}

/** Lowers the calling thread below all others: for background work. */
export function runAtLowestPriority(): void {
  lower(constants.priority.PRIORITY_LOW);
}

/**
 * Sets the nice value of the calling thread for its lifetime. Does nothing outside Linux, where the value
 * would apply to the whole process. Source: setpriority(2), "C library/kernel differences".
 */
function lower(niceness: number): void {
  if (process.platform === 'linux') setPriority(0, niceness);
}
