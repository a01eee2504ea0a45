import { isFileError, MediaError } from '../errors.js';

/** Converts an error of the file system in `folder` to one with instructions. */
export function explainFileError(error: unknown, folder: string): unknown {
  if (isFileError(error, 'ENOSPC', 'EDQUOT')) return diskFull(folder, error);
  if (isFileError(error, 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR')) {
    return new MediaError(
      'DOWNLOAD_FAILED',
      `The model cache ${folder} cannot be written: make it writable, or set MODELS_CACHE to a folder that is.`,
      { cause: error },
    );
  }
  return error;
}

/** Message for a full disk. */
export function diskFull(folder: string, cause: unknown): MediaError {
  return new MediaError(
    'DISK_FULL',
    `The disk that holds ${folder} is full: free some space, or set MODELS_CACHE to a folder on another disk, then run the same command again.`,
    { cause },
  );
}
