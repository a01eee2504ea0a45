import { isFileError, MediaError } from '../errors.js';

/**
 * Adds instructions to an error of the file system in `folder`.
 * @returns a MediaError DISK_FULL or DOWNLOAD_FAILED; other errors unchanged
 */
export function explainFileError(error: unknown, folder: string): unknown {
  if (isFileError(error, 'ENOSPC', 'EDQUOT')) return diskFull(folder, error);
  if (isFileError(error, 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR')) {
    return new MediaError(
      'DOWNLOAD_FAILED',
      `The model cache ${folder} is not writable: make it writable, or set MODELS_CACHE to a writable folder.`,
      { cause: error },
    );
  }
  return error;
}

/** The error for a full disk. */
export function diskFull(folder: string, cause: unknown): MediaError {
  return new MediaError(
    'DISK_FULL',
    `The disk of ${folder} is full: free some space, or set MODELS_CACHE to a folder on another disk, then run the same command again.`,
    { cause },
  );
}
