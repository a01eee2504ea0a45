import { MediaError } from '../errors.js';

const FULL: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Does something with a file; tells a full disk from other faults. @throws MediaError DISK_FULL */
export function fileFault<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || !FULL.includes(code)) throw error;
    throw new MediaError('DISK_FULL', 'The disk is full', { cause: error });
  }
}
