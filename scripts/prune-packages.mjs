// Removes files from a node_modules folder that a running gateway does not need: binaries for other
// platforms, and files for compilers and debuggers. `node scripts/prune-packages.mjs FOLDER
// [PLATFORM ARCH]` prints the saved space.
import { closeSync, openSync, readdirSync, readSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const HEAD_BYTES = 20;
const FOR_TOOLS = /\.(map|d\.[cm]?ts)$/;
/** Source: ELF, e_machine. */
const ELF_ARCHITECTURES = new Map([
  [62, 'x64'],
  [183, 'arm64'],
]);

/**
 * The platform of a file, from its first bytes; undefined if it is no native binary.
 * @param {Buffer} head the first 20 bytes
 * @returns {{platform: string, arch?: string} | undefined} without `arch` for all architectures
 */
export function platformOf(head) {
  if (head.length < HEAD_BYTES) return undefined;
  if (head.toString('latin1', 0, 4) === '\x7fELF') {
    const arch = ELF_ARCHITECTURES.get(head.readUInt16LE(18)) ?? 'another';
    return { platform: 'linux', arch };
  }
  if (head.toString('latin1', 0, 2) === 'MZ') return { platform: 'win32' };
  const magic = head.readUInt32BE(0);
  if (magic === 0xcffaedfe || magic === 0xcefaedfe) return { platform: 'darwin' };
  // A universal binary. A Java class starts with the same bytes, with a version above 40 in place
  // of the count.
  if (magic === 0xcafebabe && head.readUInt32BE(4) < 40) return { platform: 'darwin' };
  return undefined;
}

/**
 * @param {string} folder a node_modules folder
 * @param {{platform: string, arch: string}} wanted
 * @returns {{files: number, bytes: number}} what was removed
 */
export function prunePackages(folder, wanted) {
  const removed = { files: 0, bytes: 0 };
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const below = prunePackages(path, wanted);
      removed.files += below.files;
      removed.bytes += below.bytes;
      if (below.files > 0 && readdirSync(path).length === 0) rmdirSync(path);
    } else if (entry.isFile() && !isOfUse(path, wanted)) {
      removed.files += 1;
      removed.bytes += statSync(path).size;
      rmSync(path);
    }
  }
  return removed;
}

function isOfUse(path, { platform, arch }) {
  if (FOR_TOOLS.test(path)) return false;
  const found = platformOf(headOf(path));
  return !found || (found.platform === platform && (found.arch ?? arch) === arch);
}

function headOf(path) {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path);
  try {
    return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder, platform = process.platform, arch = process.arch] = process.argv.slice(2);
  if (!folder) throw new Error('Add a folder: node scripts/prune-packages.mjs node_modules');
  const { files, bytes } = prunePackages(folder, { platform, arch });
  console.log(`Removed ${files} files, ${Math.round(bytes / 1e6)} MB, from ${folder}`);
}
