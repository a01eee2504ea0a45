import { isFileError, MediaError } from '../errors.js';

/** Runs a file operation. @throws MediaError DISK_FULL if the disk is full; other errors are rethrown */
export function diskError<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!isFileError(error, 'ENOSPC', 'EDQUOT', 'EFBIG')) throw error;
    throw new MediaError('DISK_FULL', 'The disk is full', { cause: error });
  }
}
