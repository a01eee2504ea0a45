import { numberBehind } from '../bench/comparison.js';
import { killRecording } from '../support/programs/spool-kills.js';

/** `npm run soak -- recordings --rounds 200`: kills a recording process, once per round. */
export async function run(args: readonly string[]): Promise<number> {
  const rounds = numberBehind(args, '--rounds', 200);
  let acknowledgedMs = 0;
  for (let round = 1; round <= rounds; round++) {
    try {
      acknowledgedMs += await killRecording();
    } catch (error) {
      console.error(`kill ${round}:`, error);
      return 1;
    }
  }
  const seconds = (acknowledgedMs / 1000).toFixed(0);
  console.log(`${rounds} kills: ${seconds} s of sound acknowledged, none lost; every file merged`);
  return 0;
}
