import { readFileSync, statSync } from 'node:fs';

/** No setting is longer. */
const MAX_BYTES = 65_536;
const SUFFIX = '_FILE';

type Environment = Readonly<Record<string, string>>;

/** The environment with what stood in files, and what is wrong with those. */
export interface SettingsFromFiles {
  readonly environment: Environment;
  /** Sentences without a value in them. */
  readonly faults: readonly string[];
}

/**
 * Takes settings out of files, as containers are handed their secrets: where `NAME_FILE` is set, `NAME` is
 * what the file holds, without the line break at its end. The environment of a process is seen by all of
 * its children; a file is not.
 * @param names the settings that there are
 */
export function settingsFromFiles(given: Environment, names: readonly string[]): SettingsFromFiles {
  const environment: Record<string, string> = { ...given };
  const faults: string[] = [];
  for (const name of names) {
    const path = given[name + SUFFIX];
    if (path === undefined) continue;
    if (given[name] !== undefined) {
      faults.push(`${name} and ${name}${SUFFIX} are two values of one setting: set one`);
      continue;
    }
    const text = readSetting(path);
    if (text) environment[name] = text;
    else faults.push(`${name}${SUFFIX} must be ${reason(text)}`);
  }
  return { environment, faults };
}

/** Undefined where it cannot be read or is no setting's size. */
function readSetting(path: string): string | undefined {
  try {
    const { size } = statSync(path);
    if (size > MAX_BYTES) return undefined;
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
}

const reason = (text: string | undefined) =>
  text === undefined
    ? 'a file of at most 64 KiB that this user may read'
    : 'a file with the value, and it is empty';
