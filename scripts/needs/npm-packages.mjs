import { chmodSync, createReadStream, createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { npmCommand } from '../packages.mjs';
import { run } from '../run.mjs';
import { keptFolder, reasonFrom } from './kept-folder.mjs';

/**
 * npm packages for a test or benchmark, in a separate project. The path is its node_modules folder,
 * or a program in it.
 * @param {string} name
 * @param {readonly string[]} pins as `package@version`
 * @param {{program?: string, brotli?: string}} [options] `program` is a path below node_modules
 * that is made executable; `brotli` is the compressed file of the package from which it is
 * extracted
 * @returns {import('../needs.mjs').Need}
 */
export function npmPackages(name, pins, { program = '', brotli } = {}) {
  const kept = keptFolder(name, pins);
  const modules = () => join(kept.path(), 'node_modules', program);
  return {
    find: () => (kept.isComplete() ? modules() : undefined),
    make: async () => {
      await kept.make(async (folder) => {
        writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
        const [command, ...npm] = npmCommand();
        // The pins were tested with Node 20, so `engine-strict` of .npmrc does not apply.
        const options = ['--ignore-scripts', '--no-engine-strict', '--no-audit', '--no-fund'];
        const result = await run(
          command,
          [...npm, 'install', ...options, '--loglevel=error', ...pins],
          {
            cwd: folder,
          },
        );
        if (result.code !== 0) throw new Error(reasonFrom('npm install', result));
        const path = join(folder, 'node_modules', program);
        if (brotli) {
          const packed = createReadStream(join(folder, 'node_modules', brotli));
          await pipeline(packed, createBrotliDecompress(), createWriteStream(path));
        }
        if (program) chmodSync(path, 0o755);
      });
      return modules();
    },
  };
}
