import type { AgentConfigInput } from './agent-config.schema.js';
import type {
  EventWebhookInput,
  InboundCallWebhookInput,
  ToolWebhookInput,
  WebhooksInput,
} from './agent-webhooks.schema.js';
import type { McpServerInput } from './mcp-servers.schema.js';

/** Encrypts one secret for one agent. */
export type Seal = (text: string) => string;

/** A tool's or server's credentials, encrypted; headers as one JSON text. */
interface SealedCredentials {
  readonly auth_token?: string | null | undefined;
  readonly headers?: string | null | undefined;
}

type WithSealedCredentials<T> = Omit<T, 'auth_token' | 'headers'> & SealedCredentials;

/** The secret is encrypted. */
export type StoredEventWebhook = EventWebhookInput;
/** The secret is encrypted. */
type StoredInboundCallWebhook = InboundCallWebhookInput;
export type StoredToolWebhook = WithSealedCredentials<ToolWebhookInput>;
export type StoredMcpServer = WithSealedCredentials<McpServerInput>;

export interface StoredWebhooks {
  readonly events?: StoredEventWebhook[] | null | undefined;
  readonly tools?: StoredToolWebhook[] | null | undefined;
  readonly inbound_call?: StoredInboundCallWebhook | null | undefined;
}

/** A config as the database holds it: only what was set, and every secret encrypted. */
export interface StoredConfig
  extends Omit<AgentConfigInput, 'webhooks' | 'mcp_servers' | 'phone_number'> {
  readonly phone_number?: string | null | undefined;
  readonly webhooks?: StoredWebhooks | null | undefined;
  readonly mcp_servers?: StoredMcpServer[] | null | undefined;
}

/** Encrypts the secrets of a request. Absent and null ones stay absent and null. */
export function sealConfig(input: AgentConfigInput, seal: Seal): StoredConfig {
  const { webhooks, mcp_servers, ...plain } = input;
  return {
    ...plain,
    ...(webhooks !== undefined && { webhooks: webhooks && sealWebhooks(webhooks, seal) }),
    ...(mcp_servers !== undefined && {
      mcp_servers:
        mcp_servers === null ? null : mcp_servers.map((server) => sealCredentials(server, seal)),
    }),
  };
}

function sealWebhooks(webhooks: WebhooksInput, seal: Seal): StoredWebhooks {
  const { events, tools, inbound_call } = webhooks;
  return {
    ...(events !== undefined && {
      events: events === null ? null : events.map((hook) => sealSecret(hook, seal)),
    }),
    ...(tools !== undefined && {
      tools: tools === null ? null : tools.map((tool) => sealCredentials(tool, seal)),
    }),
    ...(inbound_call !== undefined && {
      inbound_call: inbound_call && sealSecret(inbound_call, seal),
    }),
  };
}

function sealSecret<T extends { secret?: string | null | undefined }>(hook: T, seal: Seal): T {
  return hook.secret ? { ...hook, secret: seal(hook.secret) } : hook;
}

function sealCredentials<
  T extends {
    auth_token?: string | null | undefined;
    headers?: Record<string, string> | null | undefined;
  },
>(entry: T, seal: Seal): WithSealedCredentials<T> {
  const { auth_token, headers, ...rest } = entry;
  return {
    ...rest,
    auth_token: auth_token && seal(auth_token),
    headers: headers && seal(JSON.stringify(headers)),
  };
}
