import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCommand } from '../packages.mjs';
import { run } from '../run.mjs';
import { keptFolder, reasonFrom } from './kept-folder.mjs';

/**
 * npm packages that only a test or benchmark wants, in a project of their own. Its path is that of
 * its node_modules.
 * @param {string} name
 * @param {readonly string[]} pins as `package@version`
 */
export function npmPackages(name, pins) {
  const kept = keptFolder(name, pins);
  const modules = () => join(kept.path(), 'node_modules');
  return {
    find: () => (kept.isComplete() ? modules() : undefined),
    make: async () => {
      await kept.make(async (folder) => {
        writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
        const [command, ...npm] = npmCommand();
        const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
        const result = await run(command, [...npm, 'install', ...options, ...pins], {
          cwd: folder,
        });
        if (result.code !== 0) throw new Error(reasonFrom('npm install', result));
      });
      return modules();
    },
  };
}
