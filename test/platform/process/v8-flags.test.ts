import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { HEAP_GROWTH } from '../../../src/platform/process/v8-flags.js';

describe('heap growth', () => {
  it('is set by a flag that V8 supports, because V8 ignores unknown flags silently', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--v8-options']);
    expect(stdout).toContain(`  ${HEAP_GROWTH.split('=')[0]} `);
  });
});
