import type { z } from 'zod';
import { LimitSettings } from './limits.settings.js';
import { cacheRoot, modelFolders, modelsDirFault } from './model-folders.js';
import { ModelSettings } from './models.settings.js';
import { SecuritySettings } from './security.settings.js';
import { ServerSettings } from './server.settings.js';
import { settingsFromFiles } from './setting-files.js';
import { StartError } from './start-error.js';
import { StorageSettings } from './storage.settings.js';
import { TelephonySettings } from './telephony.settings.js';

/**
 * All settings. The key of an entry is the name of its environment variable. Its `meta` documents it:
 * `description`, `unit`, and `defaultText` where the default is not a constant.
 */
export const SETTING_GROUPS = {
  Server: ServerSettings,
  Security: SecuritySettings,
  Storage: StorageSettings,
  Models: ModelSettings,
  Limits: LimitSettings,
  Telephony: TelephonySettings,
} as const;

/** The names of all settings. */
export const SETTING_NAMES: readonly string[] = Object.values(SETTING_GROUPS).flatMap(({ shape }) =>
  Object.keys(shape),
);

type Settings = ServerSettings &
  z.output<typeof SecuritySettings> &
  StorageSettings &
  ModelSettings &
  LimitSettings &
  TelephonySettings;

/** The checked settings, by the names of their variables. */
export interface Config extends Settings {
  readonly PARLEY_CACHE: string;
  readonly MODELS_CACHE: string;
}

/**
 * Reads the settings. An empty variable counts as unset; `NAME_FILE` names a file with the value.
 * @throws StartError that names all faults at once. Values that may be secret are not shown.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const set = Object.entries(environment).flatMap(([name, value]) =>
    value ? [[name, value]] : [],
  );
  const { environment: given, faults } = settingsFromFiles(Object.fromEntries(set), SETTING_NAMES);
  const parse = <T>(group: z.ZodType<T>): T | undefined => {
    const result = group.safeParse(given);
    if (!result.success) faults.push(...result.error.issues.map(sentenceOf));
    return result.data;
  };
  const server = parse(ServerSettings);
  const security = parse(SecuritySettings);
  const storage = parse(StorageSettings);
  const models = parse(ModelSettings);
  const limits = parse(LimitSettings);
  const telephony = parse(TelephonySettings);
  const folderFault = modelsDirFault(given);
  if (folderFault) faults.push(folderFault);
  if (faults.length > 0 || !(server && security && storage && models && limits && telephony)) {
    throw new StartError(`Cannot start with these settings: ${faults.join('; ')}.`);
  }
  return {
    ...server,
    ...security,
    ...storage,
    ...models,
    ...limits,
    ...telephony,
    PARLEY_CACHE: cacheRoot(given),
    MODELS_CACHE: modelFolders(given).cacheDir,
  };
}

/** A rule over several settings is a whole sentence; the fault of one setting completes its name. */
function sentenceOf({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${String(path[0])} must be ${message}`;
}
