import { readFileSync, statSync } from 'node:fs';

/** Largest value of a setting. */
const MAX_BYTES = 65_536;
const SUFFIX = '_FILE';

type Environment = Readonly<Record<string, string>>;

/** The environment with the values of files. */
export interface SettingsFromFiles {
  readonly environment: Environment;
  /** One sentence for each file that could not be used. They quote no value. */
  readonly faults: string[];
}

/**
 * Reads settings from files, for secrets that containers mount as files. If `NAME_FILE` is set, the
 * value of `NAME` is the content of that file without its trailing line break. Child processes inherit the
 * environment, but not the content of a file.
 * @param names - all settings
 */
export function settingsFromFiles(given: Environment, names: readonly string[]): SettingsFromFiles {
  const environment: Record<string, string> = { ...given };
  const faults: string[] = [];
  for (const name of names) {
    const path = given[name + SUFFIX];
    if (path === undefined) continue;
    if (given[name] !== undefined) {
      faults.push(`${name} and ${name}${SUFFIX} exclude each other: set one`);
      continue;
    }
    const text = readSetting(path);
    if (text) environment[name] = text;
    else faults.push(`${name}${SUFFIX} must be ${reason(text)}`);
  }
  return { environment, faults };
}

/** Undefined if the file cannot be read or is too large. */
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
    ? 'a file of at most 64 KiB that this user can read'
    : 'a file with the value, but it is empty';
