import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { StartError } from '../../config/start-error.js';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is on a file system that cannot be written',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of that path is a file',
  EEXIST: 'that path is a file',
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
