import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * A program on the PATH, under the first of its names that exists.
 * @param {readonly string[]} names
 * @param {import('../needs.mjs').Need} [otherwise] used if the PATH has none
 * @returns {import('../needs.mjs').Need}
 */
export function systemCommand(names, otherwise) {
  return {
    find: () => names.map(onPath).find(Boolean) ?? otherwise?.find(),
    make: async () => {
      if (otherwise) return otherwise.make();
      throw new Error(`there is no ${names[0]} on the PATH: see docs/contributing/testing.md`);
    },
  };
}

/** The full path of a program; undefined if it is not on the PATH. */
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
