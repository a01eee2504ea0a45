import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from '../run.mjs';
import { reasonFrom } from './kept-folder.mjs';

/**
 * A program on the PATH, under the first of its names that is there.
 * @param {readonly string[]} names
 * @param {string} aptPackage
 */
export function systemCommand(names, aptPackage) {
  return {
    aptPackage,
    find: () => names.map(onPath).find(Boolean),
    make: async () => {
      throw new Error(`there is no ${names[0]} on the PATH: install it (Debian: ${aptPackage})`);
    },
  };
}

/** Installs Debian packages in one go, where we may: as root on a Debian. */
export async function installWithApt(packages) {
  if (packages.length === 0 || !mayUseApt()) return;
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['install', '-y', '-q', '--no-install-recommends', ...packages];
  let result = await run('apt-get', install, { env });
  if (result.code !== 0) {
    // The lists may be old or absent.
    await run('apt-get', ['update', '-q'], { env });
    result = await run('apt-get', install, { env });
  }
  if (result.code !== 0) throw new Error(reasonFrom('apt-get install', result));
}

const mayUseApt = () =>
  process.getuid?.() === 0 && existsSync('/etc/debian_version') && Boolean(onPath('apt-get'));

/** The full path of a program, undefined if the PATH has none of this name. */
export function onPath(name) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
