import { parseArgs } from 'node:util';
import { KILL_TARGETS, KillRun } from '../support/programs/kill-run.js';

/** `npm run soak -- kill --rounds 50`: kills gateway, database and both in each round. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { rounds: { type: 'string', default: '50' } },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) {
    console.error('--rounds is a whole number from 1');
    return 2;
  }
  const killing = new KillRun();
  try {
    for (let round = 1; round <= rounds; round++) {
      for (const target of KILL_TARGETS) await killing.round(target);
      console.log(`round ${round} of ${rounds}: ${killing.acknowledged} acknowledged, none lost`);
    }
    await killing.finish();
    console.log(`${3 * rounds} kills: ${killing.acknowledged} acknowledged, none lost`);
    return 0;
  } catch (error) {
    console.error(error);
    return 1;
  } finally {
    await killing.remove();
  }
}
