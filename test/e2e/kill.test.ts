import { afterAll, describe, expect, it } from 'vitest';
import { KILL_TARGETS, KillRun } from '../support/programs/kill-run.js';

/** A database is back in a second, a gateway in some. Many more are `npm run soak -- kill`. */
const ROUNDS = { gateway: 3, database: 5, both: 3 } as const;
/** Each round starts gateway and database anew. */
const MAX_MS = 400_000;

describe('kill -9 during writes', () => {
  const run = new KillRun();
  afterAll(() => run.remove());

  it.each(KILL_TARGETS)(
    'of %s loses nothing acknowledged',
    async (victim) => {
      for (let round = 0; round < ROUNDS[victim]; round++) await run.round(victim);
      expect(run.acknowledged).toBeGreaterThan(ROUNDS[victim]);
    },
    MAX_MS,
  );

  it('leaves a service that ends and starts in order, with all of it there', () => run.finish());
});
