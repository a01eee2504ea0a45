import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { ModelFile } from './model.js';

/**
 * Computes the SHA-256 and, if requested, the MD5 of a file, as lower-case hex.
 * @param withMd5 - default: false
 */
export async function hashFile(
  file: string,
  withMd5 = false,
): Promise<{ readonly sha256: string; readonly md5: string | undefined }> {
  const sha256 = createHash('sha256');
  const md5 = withMd5 ? createHash('md5') : undefined;
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    sha256.update(chunk);
    md5?.update(chunk);
  }
  return { sha256: sha256.digest('hex'), md5: md5?.digest('hex') };
}

/** The file's SHA-256 if its content matches the catalogue, otherwise undefined. */
export async function matchingHash(path: string, file: ModelFile): Promise<string | undefined> {
  const { sha256, md5 } = await hashFile(path, file.md5 !== undefined);
  const isSame =
    (file.sha256 === undefined || file.sha256 === sha256) &&
    (file.md5 === undefined || file.md5 === md5);
  return isSame ? sha256 : undefined;
}
