import type { z } from 'zod';
import type { Language } from '../../../../media/languages.js';
import { nullableShape, optionalShape } from '../../../platform/http/validation/schema-builders.js';

/** Encrypts one secret for one agent. */
export type Seal = (text: string) => string;

/** The model catalogue, as far as settings depend on it. */
export interface SettingModels {
  /** The id of the first LLM in the catalogue. */
  readonly defaultLlmModel: string;
  /** The `-latest` id of the TTS family of a language. `auto`: the multilingual family. */
  ttsModelFor(language: Language | 'auto'): string;
}

/** The values besides the stored config from which the runtime's configuration is made. */
export interface RuntimeContext {
  readonly defaultLlmModel: string;
  decrypt(sealed: string): string;
}

/**
 * One setting. If a request leaves it out or sets it to null, calls use the default. An explicit null is
 * stored, and responses show it as null; for a setting that was left out they show the default.
 */
export interface Setting {
  /** The value in a request. */
  readonly schema: z.ZodType;
  /** The value in a response, if it differs. */
  readonly response?: z.ZodType;
  /** The value in the overrides of a call, if it differs. */
  readonly override?: z.ZodType;
  /** Without a default, the setting is null. */
  readonly default?: unknown;
  /** `s` is seconds. The runtime receives them as milliseconds, at most MAX_SECONDS. */
  readonly unit?: 's' | 'characters' | 'words';
  /** The property in the runtime's configuration. Without it, the runtime does not use the setting. */
  readonly runtime?: string;
  /** `npm run replay -- --set` can change the setting. Needs `runtime`, excludes `toRuntime`. */
  readonly isReplayable?: true;
  /** Text of the reference page, in addition to the description of the schema. */
  readonly doc?: string;
  /** Encrypts the secrets in a value. Present if the setting contains secrets. */
  seal?(value: unknown, seal: Seal): unknown;
  /** Merges an update into the stored value. Default: the update replaces it. */
  merge?(stored: unknown, update: unknown): unknown;
  /** Converts a stored value, or undefined, for a response. Default: the value or the default. */
  present?(stored: unknown, models: SettingModels): unknown;
  /** Converts a value, or null, for the runtime. Default: the value, seconds in milliseconds. */
  toRuntime?(value: unknown, context: RuntimeContext): unknown;
}

export type Settings = Readonly<Record<string, Setting>>;

type Method = (...args: never[]) => unknown;
type Requested<S extends Setting> = z.output<S['schema']>;
type Stored<S extends Setting> = S extends { seal: Method } ? ReturnType<S['seal']> : Requested<S>;
type ResponseSchema<S extends Setting> = S extends { response: z.ZodType }
  ? S['response']
  : S['schema'];
type OverrideSchema<S extends Setting> = S extends { override: z.ZodType }
  ? S['override']
  : S['schema'];
type RuntimeValue<S extends Setting> = S extends { toRuntime: Method }
  ? ReturnType<S['toRuntime']>
  : Requested<S> | (S extends { default: unknown } ? S['default'] : null);

/** The values of a request: the settings that the client set. */
export type RequestedSettings<T extends Settings> = {
  [K in keyof T]?: Requested<T[K]> | null | undefined;
};
/** The values in the database: the settings that were set, with encrypted secrets. */
export type StoredSettings<T extends Settings> = {
  readonly [K in keyof T]?: Stored<T[K]> | null | undefined;
};
/** The values of a response: every setting, without secrets. */
export type PresentedSettings<T extends Settings> = {
  [K in keyof T]: z.output<ResponseSchema<T[K]>> | null;
};
/** The part of the runtime's configuration that the settings determine. */
export type RuntimeSettings<T extends Settings> = {
  readonly [K in keyof T as T[K] extends { runtime: infer Name extends string }
    ? Name
    : never]: RuntimeValue<T[K]>;
};

/*
 * TypeScript cannot follow a loop over a table with a different type in each row. Each function below
 * therefore has a signature with the exact types, and an implementation that treats values as unknown.
 */

type Values = Readonly<Record<string, unknown>>;

/** Longest duration that the runtime receives, seconds. */
const MAX_SECONDS = 86_400;

/** The fields of a request. */
export function requestShape<T extends Settings>(
  settings: T,
): { [K in keyof T]: z.ZodOptional<z.ZodNullable<T[K]['schema']>> };
export function requestShape(settings: Settings) {
  const fields = mapValues(withLast(settings, 'response'), ({ schema }) => schema);
  return optionalShape(fields, defaultsOf(settings));
}

/** The fields of a response. */
export function responseShape<T extends Settings>(
  settings: T,
): { [K in keyof T]: z.ZodNullable<ResponseSchema<T[K]>> };
export function responseShape(settings: Settings) {
  const ordered = withLast(settings, 'response');
  return nullableShape(mapValues(ordered, ({ schema, response = schema }) => response));
}

/** The fields of the overrides of a call. Their descriptions are those of the agent's settings. */
export function overrideShape<T extends Settings>(
  settings: T,
): { [K in keyof T]: z.ZodOptional<z.ZodNullable<OverrideSchema<T[K]>>> };
export function overrideShape(settings: Settings) {
  const fields = mapValues(settings, ({ schema, override = schema }) => override);
  return optionalShape(mapValues(fields, (field) => field.meta({ description: undefined })));
}

/** The defaults of the settings that have one. */
export function defaultsOf(settings: Settings): Values {
  const rows = Object.entries(settings).filter(([, setting]) => 'default' in setting);
  return Object.fromEntries(rows.map(([name, setting]) => [name, setting.default]));
}

/** Encrypts the secrets of a request. */
export function sealSettings<T extends Settings>(
  settings: T,
  requested: RequestedSettings<T>,
  seal: Seal,
): StoredSettings<T>;
export function sealSettings(settings: Settings, requested: Values, seal: Seal): Values {
  return mapValues(requested, (value, name) => {
    const setting = settings[name];
    return setting?.seal && value != null ? setting.seal(value, seal) : value;
  });
}

/** Applies a partial update: absent settings stay, null clears. Nothing is decrypted. */
export function mergeSettings<T extends Settings>(
  settings: T,
  stored: StoredSettings<T>,
  update: StoredSettings<T>,
): StoredSettings<T>;
export function mergeSettings(settings: Settings, stored: Values, update: Values): Values {
  const given = Object.entries(update).filter(([, value]) => value !== undefined);
  const merged = mapValues(Object.fromEntries(given), (value, name) => {
    const setting = settings[name];
    if (value === null || !setting?.merge) return value;
    return setting.merge(stored[name] ?? undefined, value);
  });
  return { ...stored, ...merged };
}

/** The values of a response. */
export function presentSettings<T extends Settings>(
  settings: T,
  stored: StoredSettings<T>,
  models: SettingModels,
): PresentedSettings<T>;
export function presentSettings(settings: Settings, stored: Values, models: SettingModels): Values {
  return mapValues(withLast(settings, 'present'), (setting, name) => {
    const value = stored[name];
    if (value === null) return null;
    if (setting.present) return setting.present(value, models);
    return value ?? setting.default ?? null;
  });
}

/** The values for the runtime, under the runtime's names. */
export function runtimeSettings<T extends Settings>(
  settings: T,
  stored: StoredSettings<T>,
  context: RuntimeContext,
): RuntimeSettings<T>;
export function runtimeSettings(settings: Settings, stored: Values, context: RuntimeContext) {
  const entries = Object.entries(settings).flatMap(([name, setting]) => {
    if (setting.runtime === undefined) return [];
    const value = stored[name] ?? setting.default ?? null;
    const converted = setting.toRuntime
      ? setting.toRuntime(value, context)
      : toRuntimeUnit(setting, value);
    return [[setting.runtime, converted]];
  });
  return Object.fromEntries(entries);
}

/** A value in the unit of the runtime. */
export function toRuntimeUnit({ unit }: Setting, value: unknown): unknown {
  if (unit !== 's' || typeof value !== 'number') return value;
  return Math.round(Math.min(value, MAX_SECONDS) * 1_000);
}

/** The settings, those with `key` last. This is the order of fields in the OpenAPI document and in responses. */
function withLast(settings: Settings, key: 'response' | 'present'): Settings {
  const rows = Object.entries(settings);
  return Object.fromEntries(rows.toSorted(([, a], [, b]) => Number(key in a) - Number(key in b)));
}

function mapValues<V, R>(
  values: Readonly<Record<string, V>>,
  convert: (value: V, name: string) => R,
): Record<string, R> {
  const entries = Object.entries(values).map(([name, value]) => [name, convert(value, name)]);
  return Object.fromEntries(entries);
}
