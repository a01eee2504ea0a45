import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { HEAP_GROWTH } from '../../../src/platform/process/v8-flags.js';

describe('the growth of the heap', () => {
  it('is set by a flag that V8 knows: an unknown one is passed over in silence', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--v8-options']);
    expect(stdout).toContain(`  ${HEAP_GROWTH.split('=')[0]} `);
  });
});
