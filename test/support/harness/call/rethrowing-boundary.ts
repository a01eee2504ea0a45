import { FaultBoundary } from '../../../../agents-runtime/timing/fault-boundary.js';

/** A fault boundary that rethrows, so that a fault fails the test. */
export const rethrowing = new FaultBoundary({
  report: (error) => {
    throw error;
  },
  end: () => undefined,
});
