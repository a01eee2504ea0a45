import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Config } from '../../config/config.js';
import { headerKey } from '../../config/setting-types.js';
import { StartError } from '../../config/start-error.js';
import { BUILT_IN_RESPONDER } from './model-catalogue.js';

/** A smaller context window is too short for a conversation. */
const MIN_CONTEXT_TOKENS = 2_048;

/** Language model servers, in the order of their models. */
const EndpointsFile = z
  .array(
    z.strictObject({
      base_url: z.url({ protocol: /^https?$/ }),
      api_key: headerKey().optional(),
      models: z.array(z.string().min(1).max(200)).max(200).default([]),
      context_tokens: z.int().min(MIN_CONTEXT_TOKENS).max(10_000_000).optional(),
    }),
  )
  .min(1)
  .max(50);

/** A language model behind an OpenAI-compatible endpoint. */
export interface ListedLanguageModel {
  readonly id: string;
  /** The server's name of the model, if different. */
  readonly servedId?: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** Context window. */
  readonly contextTokens: number;
}

/** A server without configured models: its `/models` endpoint is queried. */
export type LanguageModelServer = Omit<ListedLanguageModel, 'id'>;

type LanguageModelConfig = Pick<
  Config,
  | 'LLM_BASE_URL'
  | 'LLM_API_KEY'
  | 'LLM_MODELS'
  | 'LLM_FILE'
  | 'LLM_FALLBACKS'
  | 'LLM_CONTEXT_TOKENS'
>;

/** The language models of the settings. */
export interface LanguageModelSettings {
  /** Those of LLM_BASE_URL first, then those of the file LLM_FILE. */
  readonly named: readonly ListedLanguageModel[];
  /** Servers without configured models. */
  readonly servers: readonly LanguageModelServer[];
}

/**
 * The language models of the settings: those of LLM_BASE_URL first, then those of the file LLM_FILE.
 * @throws StartError for an invalid file, a model of two servers, or an unknown model in LLM_FALLBACKS
 */
export function languageModels(settings: LanguageModelConfig): LanguageModelSettings {
  const { LLM_BASE_URL: baseUrl, LLM_API_KEY: apiKey, LLM_MODELS: ids, LLM_FILE: file } = settings;
  const contextTokens = settings.LLM_CONTEXT_TOKENS;
  const own = baseUrl === undefined ? [] : [{ baseUrl, apiKey, contextTokens, ids }];
  const endpoints = [...own, ...(file === undefined ? [] : readEndpoints(file, contextTokens))];
  const all = endpoints.flatMap(({ ids, ...server }) => ids.map((id) => ({ ...server, id })));
  const servers = endpoints.flatMap(({ ids, ...server }) => (ids.length === 0 ? [server] : []));
  const twice = all.find(({ id }, i) => all.findIndex((other) => other.id === id) !== i);
  if (twice) {
    throw new StartError(
      `Two LLM servers have the model ${twice.id}: list it for one of them only.`,
    );
  }
  const known = [...all.map(({ id }) => id), BUILT_IN_RESPONDER];
  const unknown = settings.LLM_FALLBACKS.find((id) => !known.includes(id));
  // Models of a queried server are not known yet.
  if (unknown !== undefined && servers.length === 0) {
    throw new StartError(
      `LLM_FALLBACKS contains the model ${unknown}, which no server has: use ${known.join(', ')}.`,
    );
  }
  return { named: all, servers };
}

function readEndpoints(file: string, usualTokens: number) {
  const parsed = EndpointsFile.safeParse(readJson(file));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue!.path.join('.') || 'the file';
    throw new StartError(`LLM_FILE ${file} is not valid: ${place}: ${issue!.message}.`);
  }
  return parsed.data.map(({ base_url: baseUrl, api_key: apiKey, models: ids, context_tokens }) => ({
    ids,
    baseUrl,
    apiKey,
    contextTokens: context_tokens ?? usualTokens,
  }));
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'it is not valid JSON' : 'it cannot be read';
    throw new StartError(`LLM_FILE ${file}: ${why}.`, { cause });
  }
}
