import { describe, expect, it } from 'vitest';
import { withDatabase } from '../../support/harness/postgres/test-database.js';
import { killEnding, setUpKills } from '../../support/programs/call-ending-kills.js';

const KILLS = 5;
const MAX_MS = 180_000;

describe('kill -9 while calls end', () => {
  const database = withDatabase();

  it(
    'loses no end, no event and no count, and leaves none by half',
    async () => {
      const kills = await setUpKills(database.db, database.connection);
      for (let kill = 0; kill < KILLS; kill++) {
        expect(await killEnding(kills)).toBeGreaterThan(0);
      }
    },
    MAX_MS,
  );
});
