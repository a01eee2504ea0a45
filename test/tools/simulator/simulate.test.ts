import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../../agents-runtime/timing/system-clock.js';
import { readOptions } from '../../../tools/simulator/cli-options.js';
import { simulate } from '../../../tools/simulator/simulate.js';
import { wavOf } from '../../support/harness/audio/wav-file.js';

it('the recording path is checked before the call', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'simulate-'));
  try {
    const wav = join(folder, 'caller.wav');
    await writeFile(wav, wavOf(new Float32Array(160), 8_000));
    const out = join(folder, 'missing', 'call.wav');
    // No server listens there: a call would fail with another error.
    const words = `audiosocket --agent a --key k --url http://127.0.0.1:1 --wav ${wav} --out ${out}`;
    const run = simulate(readOptions(words.split(' '), {}), systemClock);
    await expect(run).rejects.toThrow('the folder of --out must exist');
  } finally {
    await rm(folder, { recursive: true });
  }
});
