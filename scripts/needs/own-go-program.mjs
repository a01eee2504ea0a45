import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../run.mjs';
import { keptFolder, reasonFrom } from './kept-folder.mjs';
import { onPath } from './system-command.mjs';

/**
 * A Go program whose source is in a folder of this directory; it is rebuilt after changes.
 * @param {string} name of the folder and of the binary
 */
export function ownGoProgram(name) {
  const source = fileURLToPath(new URL(`./${name}/`, import.meta.url));
  const hash = () => {
    const sum = createHash('sha256');
    for (const file of readdirSync(source).sort()) sum.update(readFileSync(join(source, file)));
    return sum.digest('hex');
  };
  /** Evaluated on demand: an import reads no files. */
  const kept = () => keptFolder(name, [hash()]);
  const binary = () => join(kept().path(), name);
  return {
    find: () => (kept().isComplete() ? binary() : undefined),
    make: async () => {
      const go = onPath('go');
      if (!go) throw new Error('there is no go on the PATH: install Go to build it');
      await kept().make(async (folder) => {
        const args = ['build', '-ldflags', '-s -w', '-o', join(folder, name), '.'];
        const result = await run(go, args, { cwd: source, env: { CGO_ENABLED: '0' } });
        if (result.code !== 0) throw new Error(reasonFrom('go build', result));
      });
      return binary();
    },
  };
}
