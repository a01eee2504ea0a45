import { expect, it } from 'vitest';
import { killRecording } from '../../support/programs/spool-kills.js';

/** `npm run soak -- recordings` does it 200 times. */
const KILLS = 5;

it('a recording that is killed keeps all that was acknowledged, five times', async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    expect(await killRecording()).toBeGreaterThan(0);
  }
}, 120_000);
