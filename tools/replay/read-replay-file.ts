import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { constants, gunzip } from 'node:zlib';
import { CallError } from '../../agents-runtime/contract/errors.js';
import {
  parseReplayFile,
  type ReplayFile,
} from '../../agents-runtime/observers/replay/replay-format.js';

/** Larger than any file that the gateway writes. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Reads a replay file. Of a file that a crash truncated, reads the part before the end.
 * @throws CallError PROTOCOL for other files
 */
export async function readReplayFile(path: string): Promise<ReplayFile> {
  const { size } = await stat(path);
  if (size > MAX_BYTES) throw new CallError('PROTOCOL', 'The file is too large for a replay file');
  try {
    const text = await promisify(gunzip)(await readFile(path), {
      // Accepts a stream without its end.
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: MAX_BYTES,
    });
    return parseReplayFile(text.toString('utf8'));
  } catch (cause) {
    if (cause instanceof CallError) throw cause;
    throw new CallError('PROTOCOL', 'The file is not a replay file: it cannot be decompressed', {
      cause,
    });
  }
}
