import { expect, it } from 'vitest';
import { killRecording } from '../../support/programs/spool-kills.js';

/** `npm run soak -- recordings` runs 200 rounds. */
const KILLS = 5;

it('a killed recording keeps all acknowledged audio in five rounds', async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    expect(await killRecording()).toBeGreaterThan(0);
  }
}, 120_000);
