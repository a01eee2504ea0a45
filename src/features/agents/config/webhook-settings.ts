import type { z } from 'zod';
import type { ToolWebhook as RuntimeTool } from '../../../../agents-runtime/contract/agent-config.js';
import { list, model } from '../../../platform/http/validation/schema-builders.js';
import {
  EventWebhook,
  EventWebhookInput,
  InboundCallWebhook,
  InboundCallWebhookInput,
  MAX_WEBHOOKS,
  ToolWebhook,
  ToolWebhookInput,
} from './agent-webhooks.schema.js';
import {
  decryptCredentials,
  keepCredentials,
  keepSecret,
  sealCredentials,
  sealSecret,
  type WithSealedCredentials,
} from './credentials.js';
import {
  mergeSettings,
  presentSettings,
  type RuntimeContext,
  requestShape,
  responseShape,
  type Seal,
  type SettingModels,
  type Settings,
  type StoredSettings,
  sealSettings,
} from './settings-table.js';

/** The secret is encrypted. */
export type StoredEventWebhook = EventWebhookInput;
/** The secret is encrypted. */
type StoredInboundCallWebhook = InboundCallWebhookInput;
type StoredTool = WithSealedCredentials<ToolWebhookInput>;

/** An agent's webhooks. */
const WEBHOOK_SETTINGS = {
  events: {
    schema: list(EventWebhookInput, { max: MAX_WEBHOOKS }),
    response: list(EventWebhook),
    seal: (hooks: EventWebhookInput[], seal: Seal): StoredEventWebhook[] =>
      hooks.map((hook) => sealSecret(hook, seal)),
    merge: (stored: StoredEventWebhook[] = [], update: StoredEventWebhook[]) =>
      update.map((hook) => keepSecret(hook, stored)),
    present: (stored: StoredEventWebhook[] = []) => stored.map(withoutSecret),
  },
  tools: {
    schema: list(ToolWebhookInput, { max: MAX_WEBHOOKS }),
    response: list(ToolWebhook),
    seal: (tools: ToolWebhookInput[], seal: Seal) =>
      tools.map((tool): StoredTool => sealCredentials(tool, seal)),
    merge: keepCredentials<StoredTool>,
    present: (stored: StoredTool[] = []) =>
      stored.map(({ auth_token: _, headers: __, ...rest }) => rest),
  },
  inbound_call: {
    schema: InboundCallWebhookInput,
    response: InboundCallWebhook,
    seal: (hook: InboundCallWebhookInput, seal: Seal) => sealSecret(hook, seal),
    merge: (stored: StoredInboundCallWebhook | undefined, update: StoredInboundCallWebhook) =>
      keepSecret(update, stored ? [stored] : []),
    present: (stored: StoredInboundCallWebhook | undefined) =>
      stored ? withoutSecret(stored) : null,
  },
} as const satisfies Settings;

/** An agent's webhooks in a request. */
export const WebhooksInput = model(requestShape(WEBHOOK_SETTINGS)).meta({ id: 'WebhooksInput' });

/** An agent's webhooks in a response: without secrets, tokens and headers. */
export const Webhooks = model(responseShape(WEBHOOK_SETTINGS)).meta({ id: 'Webhooks' });

type StoredWebhooks = StoredSettings<typeof WEBHOOK_SETTINGS>;

export function sealWebhooks(webhooks: z.output<typeof WebhooksInput>, seal: Seal): StoredWebhooks {
  return sealSettings(WEBHOOK_SETTINGS, webhooks, seal);
}

export function mergeWebhooks(
  stored: StoredWebhooks | undefined,
  update: StoredWebhooks,
): StoredWebhooks {
  return mergeSettings(WEBHOOK_SETTINGS, stored ?? {}, update);
}

export function presentWebhooks(stored: StoredWebhooks | undefined, models: SettingModels) {
  return presentSettings(WEBHOOK_SETTINGS, stored ?? {}, models);
}

export function runtimeTools(
  stored: StoredWebhooks | null,
  { decrypt }: RuntimeContext,
): RuntimeTool[] {
  return (stored?.tools ?? []).map((tool) => ({
    name: tool.name,
    description: tool.description,
    url: tool.url,
    method: tool.method,
    executionMode: tool.execution_mode,
    authentication: decryptCredentials(tool, decrypt),
    parameters: tool.parameters,
    response: tool.response,
    timeoutMs: Math.round(tool.timeout * 1_000),
  }));
}

function withoutSecret<T extends { readonly secret?: string | null | undefined }>(hook: T) {
  const { secret, ...rest } = hook;
  return { ...rest, has_secret: Boolean(secret) };
}
