import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from '../run.mjs';
import { keptFolder, reasonFrom } from './kept-folder.mjs';
import { onPath } from './system-command.mjs';

/**
 * A Python environment with pinned packages. The path is its interpreter.
 * @param {string} name
 * @param {readonly string[]} pins as `package==version`
 */
export function pythonVenv(name, pins) {
  const kept = keptFolder(name, pins);
  const python = () => join(kept.path(), 'bin/python');
  return {
    find: () => (kept.isComplete() ? python() : undefined),
    make: async () => {
      const system = onPath('python3');
      if (!system)
        throw new Error('there is no python3 on the PATH: install it with its venv and pip');
      await kept.make(async (folder) => {
        await done('python3 -m venv', run(system, ['-m', 'venv', folder]));
        const options = ['--no-input', '--quiet', '--disable-pip-version-check'];
        await done('pip install', run(python(), ['-m', 'pip', 'install', ...options, ...pins]));
      });
      return python();
    },
  };
}

/**
 * A program that is part of a package.
 * @param {import('../needs.mjs').Need} venv
 * @param {RegExp} pattern matches the end of its path in the environment
 * @returns {import('../needs.mjs').Need}
 */
export function inVenv(venv, pattern) {
  const program = () => {
    const python = venv.find();
    if (!python) return undefined;
    const folder = dirname(dirname(python));
    return readdirSync(folder, { recursive: true })
      .map((path) => join(folder, path))
      .find((path) => pattern.test(path));
  };
  return {
    find: program,
    make: async () => {
      await venv.make();
      const path = program();
      if (!path) throw new Error('the Python package has no such program for this machine');
      return path;
    },
  };
}

async function done(what, running) {
  const result = await running;
  if (result.code !== 0) throw new Error(reasonFrom(what, result));
}
