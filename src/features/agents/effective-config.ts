import type {
  AgentConfig,
  Authentication,
  AuthType,
  McpServerConfig,
  ToolWebhook,
  VoiceSettings,
} from '../../../agents-runtime/contract/agent-config.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import type { Agent } from './agent.model.js';
import type { AgentModels } from './agents.ports.js';
import { CONFIG_DEFAULTS } from './config/agent-config.schema.js';
import type { CallOverrides } from './config/call-overrides.schema.js';
import { fillPlaceholders } from './config/prompt-template.js';
import type { StoredConfig, StoredMcpServer, StoredToolWebhook } from './config/stored-config.js';
import { TTS_DEFAULTS } from './config/voice-settings.schema.js';

/** Longest timer of a call, seconds. Longer settings are cut to it. */
const MAX_SECONDS = 86_400;

export interface CallConfigParts {
  readonly models: Pick<AgentModels, 'defaultLlmModel'>;
  readonly box: SecretBox;
}

/** Resolves the configuration of one call from the agent's stored config and the call's overrides. */
export type ResolveCallConfig = (agent: Agent, overrides: CallOverrides) => AgentConfig;

type StoredVoice = NonNullable<StoredConfig['tts_params']>;
type Defaults = typeof CONFIG_DEFAULTS;
type Plain = {
  readonly [K in keyof Defaults]: NonNullable<StoredConfig[K]> | Extract<Defaults[K], null>;
};

/**
 * The configuration of one call: null and absence become defaults, the overrides are applied, the
 * placeholders are filled and the secrets are decrypted.
 * @throws SealError if the key of a secret is missing
 */
export function resolveCallConfig(
  agent: Agent,
  { agent_overrides, dynamic_variables = {} }: CallOverrides,
  parts: CallConfigParts,
): AgentConfig {
  const stored = agent.config;
  const open = (sealed: string) => parts.box.open(sealed, agent.id);
  const plain = withDefaults(CONFIG_DEFAULTS, stored) as Plain;
  return {
    prompt: fillPlaceholders(plain.prompt, dynamic_variables),
    greeting: fillPlaceholders(plain.greeting, dynamic_variables),
    llmModel: stored.llm_model || parts.models.defaultLlmModel,
    llmTemperature: plain.llm_temperature,
    ttsMinSentenceLength: plain.tts_min_sentence_len,
    voice: voiceSettings(stored.tts_params ?? {}, agent_overrides?.tts_params ?? {}),
    minSilenceMs: toMs(plain.min_silence_duration),
    minSpeechMs: toMs(plain.min_speech_duration),
    minEndpointingMs: toMs(plain.min_endpointing_delay),
    maxEndpointingMs: toMs(plain.max_endpointing_delay),
    vadActivationThreshold: plain.vad_activation_threshold,
    userSilenceTimeoutMs: toMs(plain.user_silence_timeout),
    maxCallDurationMs: toMs(plain.max_call_duration_seconds),
    allowInterruptions: plain.allow_interruptions,
    allowInterruptionsOnGreeting: plain.allow_interruptions_on_greeting,
    minInterruptionWords: plain.min_interruption_words,
    autoNoiseReduction: plain.auto_noise_reduction,
    allowAgentToEndCall: plain.allow_agent_to_end_call,
    allowAgentToSkipTurn: plain.allow_agent_to_skip_turn,
    recordingEnabled: plain.recording_enabled,
    tools: (stored.webhooks?.tools ?? []).map((tool) => toTool(tool, open)),
    mcpServers: (stored.mcp_servers ?? []).map((server) => toMcpServer(server, open)),
    knowledgeBaseId: agent.kbId,
  };
}

function voiceSettings(stored: StoredVoice, overrides: StoredVoice): VoiceSettings {
  // A pinned version belongs to its dictionary.
  const unpinned = overrides.dictionary_id !== undefined ? { dictionary_version: null } : {};
  const voice = { ...stored, ...unpinned, ...overrides };
  return {
    voiceId: voice.voice_id || null,
    language: voice.language ?? TTS_DEFAULTS.language,
    temperature: voice.temperature ?? TTS_DEFAULTS.temperature,
    topP: voice.top_p ?? TTS_DEFAULTS.top_p,
    dictionaryId: voice.dictionary_id || null,
    dictionaryVersion: voice.dictionary_version ?? null,
  };
}

function toTool(tool: StoredToolWebhook, open: (sealed: string) => string): ToolWebhook {
  return {
    name: tool.name,
    description: tool.description,
    url: tool.url,
    method: tool.method,
    executionMode: tool.execution_mode,
    authentication: authentication(tool, open),
    parameters: tool.parameters,
    response: tool.response,
    timeoutMs: toMs(tool.timeout),
  };
}

function toMcpServer(server: StoredMcpServer, open: (sealed: string) => string): McpServerConfig {
  return {
    name: server.name,
    description: server.description,
    url: server.url,
    transport: new URL(server.url).pathname.endsWith('/mcp') ? 'streamable-http' : 'sse',
    authentication: authentication(server, open),
  };
}

function authentication(
  entry: {
    readonly auth_type: AuthType;
    readonly auth_token?: string | null | undefined;
    readonly headers?: string | null | undefined;
  },
  open: (sealed: string) => string,
): Authentication {
  return {
    type: entry.auth_type,
    token: entry.auth_token ? open(entry.auth_token) : null,
    headers: entry.headers ? (JSON.parse(open(entry.headers)) as Record<string, string>) : {},
  };
}

function withDefaults(
  defaults: Readonly<Record<string, unknown>>,
  given: object,
): Record<string, unknown> {
  const known: Readonly<Record<string, unknown>> = { ...given };
  return Object.fromEntries(
    Object.entries(defaults).map(([key, value]) => [key, known[key] ?? value]),
  );
}

function toMs(seconds: number): number {
  return Math.round(Math.min(seconds, MAX_SECONDS) * 1_000);
}
