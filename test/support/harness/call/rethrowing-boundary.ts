import { FaultBoundary } from '../../../../agents-runtime/timing/fault-boundary.js';

/** Contains nothing: a fault of what is tested fails the test. */
export const rethrowing = new FaultBoundary({
  report: (error) => {
    throw error;
  },
  end: () => undefined,
});
