import { join } from 'node:path';
import { run } from '../run.mjs';
import { keptFolder, reasonFrom } from './kept-folder.mjs';
import { onPath } from './system-command.mjs';

/**
 * A program built by `go install`. The binary is kept, because even a repeated install contacts the
 * module proxy.
 * @param {string} packagePath a main package; its last part is the name of the binary
 * @param {string} version
 */
export function goBinary(packagePath, version) {
  const pin = `${packagePath}@${version}`;
  const binaryName = packagePath.split('/').at(-1);
  const kept = keptFolder(packagePath.split('/')[2], [pin]);
  const binary = () => join(kept.path(), binaryName);
  return {
    find: () => (kept.isComplete() ? binary() : undefined),
    make: async () => {
      const go = onPath('go');
      if (!go) throw new Error('there is no go on the PATH: install Go to build it');
      await kept.make(async (folder) => {
        const args = ['install', '-ldflags', '-s -w', pin];
        const result = await run(go, args, { env: { GOBIN: folder, CGO_ENABLED: '0' } });
        if (result.code !== 0) throw new Error(reasonFrom('go install', result));
      });
      return binary();
    },
  };
}
