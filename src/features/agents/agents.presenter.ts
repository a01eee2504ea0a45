import { type Agent, STATUS_CODES } from './agent.model.js';
import type { AgentModels } from './agents.ports.js';
import type { AgentBody } from './agents.schema.js';
import { type AgentConfigOutput, CONFIG_DEFAULTS } from './config/agent-config.schema.js';
import type { Webhooks } from './config/agent-webhooks.schema.js';
import type { McpServer } from './config/mcp-servers.schema.js';
import type {
  StoredConfig,
  StoredMcpServer,
  StoredToolWebhook,
  StoredWebhooks,
} from './config/stored-config.js';
import { TTS_DEFAULTS, type TtsParams } from './config/voice-settings.schema.js';

/** Its ETag. A knowledge base that is deleted leaves its agents without their version growing. */
export function entityTagOf({ version, kbId }: Agent): string {
  return `"${version}-${kbId ?? 0}"`;
}

/** An agent as it is answered. */
export function toAgentBody(agent: Agent, models: AgentModels): AgentBody {
  return {
    agent_id: agent.id,
    name: agent.name,
    config: toConfigOutput(agent.config, models),
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
    status: agent.status,
    status_code: STATUS_CODES[agent.status],
    kb_id: agent.kbId,
  };
}

/**
 * A config as it is answered: what was set, null where null was set, the default where nothing was.
 * Of secrets it says only whether they are there.
 */
export function toConfigOutput(stored: StoredConfig, models: AgentModels): AgentConfigOutput {
  const { tts_params, webhooks, mcp_servers, ...plain } = stored;
  return {
    ...CONFIG_DEFAULTS,
    llm_model: models.defaultLlmModel,
    ...plain,
    tts_params: tts_params === null ? null : toTtsParams(tts_params ?? {}, models),
    webhooks: webhooks === null ? null : toWebhooks(webhooks ?? {}),
    mcp_servers: mcp_servers === null ? null : (mcp_servers ?? []).map(toMcpServer),
  } as AgentConfigOutput;
}

function toTtsParams(
  stored: NonNullable<StoredConfig['tts_params']>,
  models: AgentModels,
): TtsParams {
  const model = models.ttsModelFor(stored.language ?? TTS_DEFAULTS.language);
  return { ...TTS_DEFAULTS, ...stored, model } as TtsParams;
}

function toWebhooks({ events = [], tools = [], inbound_call }: StoredWebhooks): Webhooks {
  return {
    events: events === null ? null : events.map(withoutSecret),
    tools: tools === null ? null : tools.map(toToolWebhook),
    inbound_call: inbound_call ? withoutSecret(inbound_call) : null,
  };
}

function withoutSecret<T extends { readonly secret?: string | null | undefined }>(hook: T) {
  const { secret, ...rest } = hook;
  return { ...rest, has_secret: Boolean(secret) };
}

function toToolWebhook(tool: StoredToolWebhook) {
  const { auth_token: _, headers: __, ...rest } = tool;
  return rest;
}

function toMcpServer(server: StoredMcpServer): McpServer {
  const { auth_token, headers, ...rest } = server;
  return { ...rest, has_auth_token: Boolean(auth_token), has_headers: Boolean(headers) };
}
