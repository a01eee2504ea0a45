import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { BLOCKLIST_PATTERN, DEFAULT_BLOCKLIST } from '../features/phone-numbers/dial-blocklist.js';
import { cacheRoot, modelFolders, modelsDirFault } from './model-folders.js';
import { settingsFromFiles } from './setting-files.js';
import {
  baseUrl,
  filePath,
  headerKey,
  host,
  hostsOrNetworks,
  languages,
  limit,
  list,
  proxies,
  trustedUrl,
  url,
  wholeNumber,
} from './setting-types.js';
import { StartError } from './start-error.js';

const secretsOf = (text: string) => text.split(',').map((secret) => secret.trim());

/**
 * Every setting, by the name of its environment variable. A new one is a line here, and one in
 * the README's table. The sentence after each type completes "NAME must be …".
 */
const Settings = z.object({
  PORT: wholeNumber(0, 65_535, 'a port from 0 to 65535').default(8080),
  HOST: host().default('127.0.0.1'),
  DATA_DIR: filePath().prefault('./data'),
  PUBLIC_URL: baseUrl().optional(),
  TRUST_PROXY: proxies().default(false),
  SECRET_KEY: z
    .string()
    .refine(
      (text) => secretsOf(text).length <= 16 && secretsOf(text).every(({ length }) => length >= 16),
      'one secret of at least 16 characters, or a comma list of them, the newest first',
    )
    .optional(),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,1024}$/, 'a secret of at least 16 characters without blanks')
    .optional(),
  DATABASE_URL: url(['postgres:', 'postgresql:'], 'a postgres:// URL').optional(),
  // PARLEY_CACHE, MODELS_DIR and MODELS_CACHE are read with the model programs: model-folders.ts
  CPU_PERMITS: wholeNumber(1, 1_024, 'a whole number from 1').default(() =>
    Math.max(1, availableParallelism() - 1),
  ),
  GATEWAYS: wholeNumber(1, 32, 'a whole number from 1 to 32').default(1),
  GATEWAY_ADDRESS: z
    .string()
    .regex(/^(\[[\da-f:]+\]|[\w.-]+)(:\d{1,5})?$/i, 'a host or an address, with a port or without')
    .default('127.0.0.1'),
  DRAIN_SECONDS: wholeNumber(0, 3_600, 'a whole number of seconds from 0 to 3600').default(8),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'trace, debug, info, warn, error, fatal or silent',
    })
    .default('info'),
  FORMANT: z.enum(['auto', 'off'], { error: 'auto or off' }).default('auto'),
  MP3_ENCODER: z.enum(['wasm', 'lamejs'], { error: 'wasm or lamejs' }).default('wasm'),
  OUTBOUND_ALLOWED_HOSTS: hostsOrNetworks().default([]),
  MODEL_PREFIX: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,30}$/, 'a short word of a-z, 0-9 and hyphens')
    .default('svc'),
  TEXT_LIMIT: wholeNumber(1, 1_000_000, 'a whole number from 1 to 1000000').default(5_000),
  REQUESTS_PER_MINUTE: limit().default(1_000),
  FAILED_AUTHS_PER_MINUTE: limit().default(20),
  MAX_CONNECTIONS: limit().default(10_000),
  CONCURRENT_CALLS: limit().default(100),
  CONCURRENT_SPEECH: limit().default(64),
  CONCURRENT_SPEECH_PER_ACCOUNT: limit().default(48),
  MAX_BODY_BYTES: wholeNumber(1_024, 1_073_741_824, 'a number of bytes from 1024').default(
    1_048_576,
  ),
  DICTIONARY_FILE_BYTES: wholeNumber(1_024, 104_857_600, 'a number of bytes from 1024').default(
    1_048_576,
  ),
  DICTIONARY_RULES: wholeNumber(1, 100_000, 'a whole number from 1 to 100000').default(10_000),
  DICTIONARY_WORD_LENGTH: wholeNumber(1, 1_000, 'a whole number from 1 to 1000').default(200),
  DICTIONARY_REPLACEMENT_LENGTH: wholeNumber(1, 5_000, 'a whole number from 1 to 5000').default(
    500,
  ),
  KNOWLEDGE_FILE_BYTES: wholeNumber(1_024, 104_857_600, 'a number of bytes from 1024').default(
    20_971_520,
  ),
  EMBEDDING_BASE_URL: baseUrl().optional(),
  EMBEDDING_API_KEY: headerKey().optional(),
  EMBEDDING_MODEL: z
    .string()
    .regex(/^[\w./:@-]{1,200}$/, "a model's name")
    .optional(),
  EMBEDDING_MODEL_DIR: filePath().optional(),
  LLM_BASE_URL: url(['http:', 'https:'], 'an http or https URL').optional(),
  LLM_API_KEY: headerKey().optional(),
  LLM_MODELS: list().default([]),
  LLM_FALLBACKS: list().default([]),
  LLM_CONTEXT_TOKENS: wholeNumber(2_048, 10_000_000, 'a whole number from 2048').default(16_384),
  RECORDING_CHANNELS: z
    .enum(['1', '2'], { error: '1 or 2' })
    .transform((text) => Number(text) as 1 | 2)
    .default(2),
  STORAGE_DIR: filePath().optional(),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "a bucket's name")
    .optional(),
  S3_ENDPOINT: baseUrl().optional(),
  S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, 'a region such as eu-central-1')
    .default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_PATH_STYLE: z
    .enum(['true', 'false'], { error: 'true or false' })
    .transform((text) => text === 'true')
    .default(false),
  STT_BASE_URL: baseUrl().optional(),
  STT_API_KEY: headerKey().optional(),
  STT_MODEL: z.string().default('whisper-1'),
  STT_LANGUAGES: languages(),
  DEEPGRAM_API_KEY: headerKey().optional(),
  DEEPGRAM_BASE_URL: url(['ws:', 'wss:'], 'a ws or wss URL').default('wss://api.deepgram.com'),
  DEEPGRAM_MODEL: z.string().default('nova-3'),
  DEEPGRAM_LANGUAGES: languages(),
  TTS_BASE_URL: baseUrl().optional(),
  TTS_API_KEY: headerKey().optional(),
  TTS_MODEL: z.string().default('tts-1'),
  TTS_VOICES: list()
    .refine(
      (names) => names.every((name) => /^[\w.-]{1,64}$/.test(name)),
      'a comma list of names of letters, digits, dots and hyphens',
    )
    .default(['alloy']),
  TTS_LANGUAGES: languages(),
  REPLAY_DIR: filePath().optional(),
  LLM_FILE: filePath().optional(),
  TWILIO_ACCOUNT_SID: z
    .string()
    .regex(/^AC\w{1,64}$/, "an account's SID (AC…)")
    .optional(),
  TWILIO_AUTH_TOKEN: z.string().optional(),
  TWILIO_BASE_URL: baseUrl().default('https://api.twilio.com'),
  AUDIOSOCKET_PORT: wholeNumber(0, 65_535, 'a port from 0 to 65535 (0 = any free one)').optional(),
  AUDIOSOCKET_HOST: host().default('127.0.0.1'),
  TELNYX_API_KEY: headerKey().optional(),
  TELNYX_BASE_URL: baseUrl().default('https://api.telnyx.com'),
  PHONE_NUMBER_SLOTS: limit().default(10),
  OUTBOUND_REFUSED_NUMBERS: list()
    .refine(
      (items) => items.every((item) => BLOCKLIST_PATTERN.test(item)),
      'a comma list of numbers such as +1911, beginnings such as +1900*, and the word short',
    )
    .default([...DEFAULT_BLOCKLIST]),
  LIVEKIT_URL: url(['ws:', 'wss:', 'http:', 'https:'], 'a ws, wss, http or https URL')
    .transform((text) => text.replace(/^http/, 'ws').replace(/\/+$/, ''))
    .optional(),
  LIVEKIT_API_KEY: z.string().optional(),
  LIVEKIT_API_SECRET: z.string().optional(),
  JWT_JWKS_URL: trustedUrl().optional(),
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: z.string().optional(),
});

/** The variables that are read, each of which the README's table tells of. */
export const SETTING_NAMES: readonly string[] = [
  ...Object.keys(Settings.shape),
  // The folders of caches, which `npm run models` reads too.
  'PARLEY_CACHE',
  'MODELS_DIR',
  'MODELS_CACHE',
];

/** The checked settings, under the names of their variables. */
export type Config = z.output<typeof Settings> & {
  readonly PARLEY_CACHE: string;
  readonly MODELS_DIR: string | undefined;
  readonly MODELS_CACHE: string;
};

/**
 * Reads the settings. An empty variable counts as unset; `NAME_FILE` names a file with the value.
 * @throws StartError that names every wrong one at once. Values that may be secret are not shown.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const set = Object.entries(environment).flatMap(([name, value]) =>
    value ? [[name, value]] : [],
  );
  const { environment: given, faults: fileFaults } = settingsFromFiles(
    Object.fromEntries(set),
    SETTING_NAMES,
  );
  const result = Settings.safeParse(given);
  const faults = result.success
    ? contradictions(result.data)
    : result.error.issues.map(({ path, message }) => `${String(path[0])} must be ${message}`);
  faults.unshift(...fileFaults);
  const folderFault = modelsDirFault(given);
  if (folderFault) faults.push(folderFault);
  if (!result.success || faults.length > 0) {
    throw new StartError(`Cannot start with these settings: ${faults.join('; ')}.`);
  }
  const folders = modelFolders(given);
  return {
    ...result.data,
    PARLEY_CACHE: cacheRoot(given),
    MODELS_DIR: folders.modelsDir,
    MODELS_CACHE: folders.cacheDir,
  };
}

/** Of each, all are set or none. */
const TOGETHER = [
  ['JWT_JWKS_URL', 'JWT_ISSUER', 'JWT_AUDIENCE'],
  ['LIVEKIT_URL', 'LIVEKIT_API_KEY', 'LIVEKIT_API_SECRET'],
  ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ['EMBEDDING_BASE_URL', 'EMBEDDING_MODEL'],
] as const;

/** Rules over more than one setting. */
function contradictions(settings: z.output<typeof Settings>): string[] {
  const faults = TOGETHER.flatMap((names) => {
    const missing = names.filter((name) => settings[name] === undefined);
    if (missing.length === 0 || missing.length === names.length) return [];
    return [`${names.slice(0, -1).join(', ')} and ${names.at(-1)} must be set together`];
  });
  if (settings.S3_BUCKET !== undefined && settings.STORAGE_DIR !== undefined) {
    faults.push('S3_BUCKET and STORAGE_DIR are two places for the same files: set one');
  }
  if (settings.EMBEDDING_BASE_URL !== undefined && settings.EMBEDDING_MODEL_DIR !== undefined) {
    faults.push('EMBEDDING_BASE_URL and EMBEDDING_MODEL_DIR must not be set together');
  }
  if (settings.LLM_MODELS.length > 0 && settings.LLM_BASE_URL === undefined) {
    faults.push('LLM_MODELS needs LLM_BASE_URL, the server that has these models');
  }
  return faults;
}
