import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { modelFolder } from '../../support/harness/process/model-folder.js';

const PROGRAM = fileURLToPath(new URL('./vad-main.js', import.meta.url));

it('the ONNX runtime sends no telemetry to Microsoft', () => {
  const home = mkdtempSync(join(tmpdir(), 'parley-home-'));
  try {
    // The runtime writes an identity and a database of reports to the home folder, unless CI is
    // set.
    const env = { PATH: process.env.PATH, HOME: home };
    const args = [PROGRAM, modelFolder('silero-vad')];
    expect(execFileSync(process.execPath, args, { env, encoding: 'utf8' })).toBe('heard\n');
    expect(readdirSync(home)).toEqual([]);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
