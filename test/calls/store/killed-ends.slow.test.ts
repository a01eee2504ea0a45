import { describe, expect, it } from 'vitest';
import { withDatabase } from '../../support/harness/postgres/test-database.js';
import { killEnding, setUpKills } from '../../support/programs/call-ending-kills.js';

const KILLS = 5;
const MAX_MS = 180_000;

describe('SIGKILL while calls end', () => {
  const database = withDatabase();

  it(
    'loses no end, event or count, and stores none partially',
    async () => {
      const kills = await setUpKills(database.db, database.connection);
      for (let kill = 0; kill < KILLS; kill++) {
        expect(await killEnding(kills)).toBeGreaterThan(0);
      }
    },
    MAX_MS,
  );
});
