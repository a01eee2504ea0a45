import { constants, setPriority } from 'node:os';

/** A third of the weight of a thread that keeps frames on time. Source: sched(7), nice values. */
const BEHIND_CALLS = 5;

/** Lets the threads that keep frames on time go first: for worker threads whose work a caller waits for. */
export function lowerThreadPriority(): void {
  lower(BEHIND_CALLS);
}

/** Lets every other thread go first: for worker threads whose work nobody waits for. */
export function runAtLowestPriority(): void {
  lower(constants.priority.PRIORITY_LOW);
}

/**
 * Lowers the calling thread for as long as it lives. Linux alone knows priorities of threads; elsewhere
 * this would slow the whole process, and does nothing. Source: setpriority(2), "C library/kernel
 * differences".
 */
function lower(niceness: number): void {
  if (process.platform === 'linux') setPriority(0, niceness);
}
