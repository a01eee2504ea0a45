import { expect, it } from 'vitest';
import { Call } from '../../../agents-runtime/session/call.js';
import type { CallDependencies } from '../../../agents-runtime/session/call-dependencies.js';
import { guardedPorts } from '../../../agents-runtime/session/guarded-ports.js';
import { harness } from '../../support/harness/call/call-harness.js';
import { rethrowing } from '../../support/harness/call/rethrowing-boundary.js';

function dependencies(): CallDependencies {
  let made: CallDependencies | undefined;
  harness({
    begin: (parts) => {
      made = parts;
      return new Call(parts);
    },
  });
  return made!;
}

it('a call without observers has no observing wrappers, and provider wrappers only if needed', () => {
  const parts = dependencies();
  const plain = guardedPorts(parts, rethrowing, 0);
  expect(plain.observer).toBeUndefined();
  expect(plain.callLog).toBe(parts.callLog);
  expect(plain.voice).toBe(parts.voice);
  const metered = guardedPorts(
    { ...parts, observers: [{ turnOutcome: () => undefined }] },
    rethrowing,
    0,
  );
  expect(metered.observer).toBeDefined();
  expect(metered.voice).toBe(parts.voice);
  const recorded = guardedPorts(
    { ...parts, observers: [{ provider: () => undefined }] },
    rethrowing,
    0,
  );
  expect(recorded.voice).not.toBe(parts.voice);
});
