/** What was measured over the last seconds. */
export interface Load {
  /** Calls that run here now. */
  readonly calls: number;
  /** 99th percentile of how late agents' frames went out, ms. */
  readonly frameLateMs: number;
  /** How late the event loop's timers fire, ms: each second's 99th percentile, and of those the median. */
  readonly loopDelayMs: number;
  /** What this process has used of the CPU, all threads, in cores. */
  readonly cores: number;
  /** 95th percentile of how long callers' own jobs waited for a CPU permit, ms. */
  readonly queueMs: number;
}

/** Whether new calls are let in, and for how many looks in a row something has spoken against it. */
export interface OverloadState {
  readonly isOpen: boolean;
  readonly samples: number;
}

export const OPEN: OverloadState = { isOpen: true, samples: 0 };

/**
 * Fewer calls than these never are too many. A gateway with so few is slow because of its neighbours
 * on the machine, or because it has just started; who refuses then helps nobody.
 */
const MIN_CALLS = 4;
/** Source: the conversation design, density: the 99th percentile of frame lateness. */
const MAX_LATE_MS = 20;
/** Who uses less of the CPU than this is late because others have it: fewer calls would change nothing. */
const MIN_CORES = 0.6;
/** A turn that is judged, transcribed or answered so late is one that people notice. */
const MAX_QUEUE_MS = 1_000;
/** What is well again is half as bad as what was too much. */
const REOPEN_SCALE = 0.5;
/** Looks in a row, a second apart, that change the mind: one burst or one pause of the collector does not. */
const CLOSE_AFTER_SAMPLES = 3;
const OPEN_AFTER_SAMPLES = 5;

/** The next state of admission after a look at the load. Pure. */
export function overloadAfter(before: OverloadState, load: Load): OverloadState {
  const isChangeDue = before.isOpen ? isOverloaded(load, 1) : !isOverloaded(load, REOPEN_SCALE);
  if (!isChangeDue) return { ...before, samples: 0 };
  const samples = before.samples + 1;
  if (samples < (before.isOpen ? CLOSE_AFTER_SAMPLES : OPEN_AFTER_SAMPLES))
    return { ...before, samples };
  return { isOpen: !before.isOpen, samples: 0 };
}

/** @param scale of all limits. */
function isOverloaded(load: Load, scale: number): boolean {
  if (load.calls < MIN_CALLS) return false;
  if (load.cores < scale * MIN_CORES) return false;
  const isLate = Math.max(load.frameLateMs, load.loopDelayMs) > scale * MAX_LATE_MS;
  return isLate || load.queueMs > scale * MAX_QUEUE_MS;
}
