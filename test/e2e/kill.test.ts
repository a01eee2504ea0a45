import { afterAll, describe, expect, it } from 'vitest';
import { KILL_TARGETS, KillRun } from '../support/programs/kill-run.js';

/**
 * The database restarts within a second, a gateway within several. `npm run soak -- kill` runs more
 * rounds.
 */
const ROUNDS = { gateway: 3, database: 5, both: 3 } as const;
/** Each round restarts gateway and database. */
const MAX_MS = 400_000;

describe('SIGKILL during writes', () => {
  const run = new KillRun();
  afterAll(() => run.remove());

  it.each(KILL_TARGETS)(
    'of the %s loses no acknowledged data',
    async (target) => {
      for (let round = 0; round < ROUNDS[target]; round++) await run.round(target);
      expect(run.acknowledged).toBeGreaterThan(ROUNDS[target]);
    },
    MAX_MS,
  );

  it('leaves all data intact after a graceful restart', () => run.finish());
});
