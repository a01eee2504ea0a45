import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { StartError } from '../../config/start-error.js';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'the user of Parley may not write there',
  EPERM: 'the user of Parley may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'the path is a file',
};

/**
 * Creates DATA_DIR. Other users may traverse it but not list it, because the database of a gateway that
 * runs as root runs as another user.
 * @throws StartError if the folder cannot be written
 */
export async function prepareDataDir(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o711 });
    await access(path, constants.W_OK);
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''];
    if (!reason) throw error;
    throw new StartError(
      `Cannot use the data folder ${path}: ${reason}; set DATA_DIR to another folder.`,
      { cause: error },
    );
  }
}
