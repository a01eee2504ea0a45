import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where Debian keeps a PostgreSQL of each major version. */
const FOLDER = '/usr/lib/postgresql';
/** That of the embedded database. */
const OUR_MAJOR = 18;

/** A PostgreSQL of another major version than the embedded one; the path is its folder of programs. */
export function otherPostgres() {
  const majors = () => (existsSync(FOLDER) ? readdirSync(FOLDER).map(Number) : []);
  const newest = () =>
    majors()
      .filter((major) => major && major !== OUR_MAJOR)
      .sort((left, right) => right - left)
      .map((major) => join(FOLDER, String(major), 'bin'))
      .find((bin) => existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'postgres')));
  return {
    aptPackage: 'postgresql',
    find: newest,
    make: async () => {
      throw new Error(
        `${FOLDER} has no PostgreSQL of another major version than ${OUR_MAJOR}: install one (Debian: postgresql)`,
      );
    },
  };
}
