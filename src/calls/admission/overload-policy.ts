/** The load over the last seconds. */
export interface Load {
  /** Calls that run here. */
  readonly calls: number;
  /** 99th percentile of the lateness of agents' frames, ms. */
  readonly frameLateMs: number;
  /** Event loop delay, ms: the median of the 99th percentiles of each second. */
  readonly loopDelayMs: number;
  /** CPU use of all threads of this process, in cores. */
  readonly cores: number;
  /** 95th percentile of the time that urgent jobs waited for the CPU scheduler, ms. */
  readonly queueMs: number;
}

/** Whether new calls are admitted, and how many samples in a row contradict that. */
export interface OverloadState {
  readonly isOpen: boolean;
  readonly contrarySamples: number;
}

export const OPEN: OverloadState = { isOpen: true, contrarySamples: 0 };

/**
 * With fewer calls, a gateway never refuses. It is then slow because of other processes on the machine,
 * or because it has just started, and refusing calls would not help.
 */
const MIN_CALLS = 4;
/** The maximum of frame lateness and event loop delay. A frame has 20 ms. */
const MAX_LATE_MS = 20;
/** A gateway that uses less CPU is late because of other processes: fewer calls would not help. */
const MIN_CORES = 0.6;
/** Callers notice when turn detection, transcription or the first audio waits longer. */
const MAX_QUEUE_MS = 1_000;
/** Calls are admitted again when the load is below this share of the limits. */
const REOPEN_SCALE = 0.5;
/** Samples in a row, one second apart, that change the state. A burst or a garbage collection does not. */
const CLOSE_AFTER_SAMPLES = 3;
const OPEN_AFTER_SAMPLES = 5;

/** The state after one more sample. Pure. */
export function overloadAfter(before: OverloadState, load: Load): OverloadState {
  const isChangeDue = before.isOpen ? isOverloaded(load, 1) : !isOverloaded(load, REOPEN_SCALE);
  if (!isChangeDue) return { ...before, contrarySamples: 0 };
  const contrarySamples = before.contrarySamples + 1;
  if (contrarySamples < (before.isOpen ? CLOSE_AFTER_SAMPLES : OPEN_AFTER_SAMPLES))
    return { ...before, contrarySamples };
  return { isOpen: !before.isOpen, contrarySamples: 0 };
}

/** @param scale - factor for all limits */
function isOverloaded(load: Load, scale: number): boolean {
  if (load.calls < MIN_CALLS) return false;
  if (load.cores < scale * MIN_CORES) return false;
  const isLate = Math.max(load.frameLateMs, load.loopDelayMs) > scale * MAX_LATE_MS;
  return isLate || load.queueMs > scale * MAX_QUEUE_MS;
}
