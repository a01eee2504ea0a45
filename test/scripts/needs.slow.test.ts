import { chmodSync, cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MiniClone } from '../support/harness/process/mini-clone.js';

// Each launch compiles and may start vitest.
vi.setConfig({ testTimeout: 240_000 });

const SUITE = `import { expect, it } from 'vitest';
import { describeWith } from './support/harness/process/required-tools.js';
it('needs nothing', () => expect(1).toBe(1));
describeWith(['sox'], 'audio', (tools) => {
  it('has sox', () => expect(tools.sox).toMatch(/sox$/));
  it('has it still', () => expect(tools.sox).toMatch(/sox$/));
});\n`;

let clone: MiniClone;
/** A PATH with Node only: no optional program, and no apt to install one. */
let path: string;
beforeEach(() => {
  clone = new MiniClone();
  const support = fileURLToPath(
    new URL('../../../test/support/harness/process/required-tools.ts', import.meta.url),
  );
  cpSync(support, join(clone.path, 'test/support/harness/process/required-tools.ts'));
  clone.write('test/audio.test.ts', SUITE);
  path = join(clone.path, 'bin');
  clone.write('bin/README', '');
  symlinkSync(process.execPath, join(path, 'node'));
});
afterEach(() => clone.remove());

describe('suite with optional programs', () => {
  it('receives the paths of its programs', async () => {
    clone.write('bin/sox', '#!/bin/sh\n');
    chmodSync(join(path, 'sox'), 0o755);
    const ended = await clone.launch(['test'], { PATH: path });
    expect(ended.lastLine).toBe('3 passed, 0 failed, 0 skipped');
  });

  it('is skipped as a whole with a reason if a program is unavailable', async () => {
    const ended = await clone.launch(['test'], { PATH: path });
    expect(ended.lastLine).toBe('1 passed, 0 failed, 1 skipped');
    expect(ended.output).toMatch(/Skipped: audio: it cannot run: sox: there is no sox on the PATH/);
    expect(ended.code).toBe(0);
  });

  it('fails for that reason with REQUIRE_ALL=1', async () => {
    const ended = await clone.launch(['test'], { PATH: path, REQUIRE_ALL: '1' });
    expect(ended.lastLine).toBe('1 passed, 1 failed, 0 skipped');
    expect(ended.output).toContain('there is no sox on the PATH');
    expect(ended.code).not.toBe(0);
  });

  it('causes no preparation when other suites run', async () => {
    clone.write(
      'test/other.test.ts',
      "import { it } from 'vitest';\nit('runs', () => undefined);\n",
    );
    const ended = await clone.launch(['test', 'dist/test/other'], { PATH: path });
    expect(ended.lastLine).toBe('1 passed, 0 failed, 0 skipped');
    expect(ended.output).not.toContain('sox');
  });

  it('fails if it needs an unknown program', async () => {
    clone.write('test/audio.test.ts', SUITE.replaceAll('sox', 'socks'));
    const ended = await clone.launch(['test'], { PATH: path });
    expect(ended.output).toContain('scripts/needs.mjs has no entry for socks');
    expect(ended.lastLine).toBe('0 passed, 1 failed, 0 skipped');
  });
});
