import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { constants, gunzip } from 'node:zlib';
import { CallError } from '../../agents-runtime/contract/errors.js';
import {
  parseReplayFile,
  type ReplayFile,
} from '../../agents-runtime/observers/replay/replay-format.js';

/** The gateway writes smaller files. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Reads a replay file. A file that a crash cut short is read up to there.
 * @throws CallError PROTOCOL for other files
 */
export async function readTape(path: string): Promise<ReplayFile> {
  const { size } = await stat(path);
  if (size > MAX_BYTES) throw new CallError('PROTOCOL', 'This file is too large for a replay file');
  try {
    const text = await promisify(gunzip)(await readFile(path), {
      // What was flushed last is taken, too, where the end is missing.
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: MAX_BYTES,
    });
    return parseReplayFile(text.toString('utf8'));
  } catch (cause) {
    if (cause instanceof CallError) throw cause;
    throw new CallError('PROTOCOL', 'This is no replay file: it cannot be unpacked', { cause });
  }
}
