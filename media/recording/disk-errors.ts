import { isFileError, MediaError } from '../errors.js';

/** Does something with a file; tells a full disk from other faults. @throws MediaError DISK_FULL */
export function diskError<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!isFileError(error, 'ENOSPC', 'EDQUOT', 'EFBIG')) throw error;
    throw new MediaError('DISK_FULL', 'The disk is full', { cause: error });
  }
}
