import type { StoredConfig, StoredWebhooks } from './stored-config.js';

/**
 * A partial update: what is absent stays, null clears, arrays replace; `tts_params` and `webhooks`
 * merge field by field. An entry keeps the secrets that the update leaves out if it still goes to
 * the same place. Both sides hold encrypted secrets, so nothing is decrypted here.
 */
export function mergeConfig(stored: StoredConfig, update: StoredConfig): StoredConfig {
  const { tts_params, webhooks, mcp_servers, ...plain } = update;
  return {
    ...stored,
    ...present(plain),
    ...(tts_params !== undefined && {
      tts_params: tts_params && { ...stored.tts_params, ...present(tts_params) },
    }),
    ...(webhooks !== undefined && {
      webhooks: webhooks && mergeWebhooks(stored.webhooks ?? {}, webhooks),
    }),
    ...(mcp_servers !== undefined && {
      mcp_servers: mcp_servers && keepCredentials(stored.mcp_servers, mcp_servers),
    }),
  };
}

function mergeWebhooks(stored: StoredWebhooks, update: StoredWebhooks): StoredWebhooks {
  const { events, tools, inbound_call } = update;
  return {
    ...stored,
    ...(events !== undefined && {
      events: events === null ? null : events.map((hook) => keepSecret(hook, stored.events ?? [])),
    }),
    ...(tools !== undefined && { tools: tools && keepCredentials(stored.tools, tools) }),
    ...(inbound_call !== undefined && {
      inbound_call:
        inbound_call && keepSecret(inbound_call, stored.inbound_call ? [stored.inbound_call] : []),
    }),
  };
}

interface Signed {
  readonly url: string;
  readonly secret?: string | null | undefined;
}

/** A secret stays only with the very address that it was given for. */
function keepSecret<T extends Signed>(hook: T, stored: readonly Signed[]): T {
  const before = stored.find(({ url }) => url === hook.url);
  return { ...hook, secret: kept(hook.secret, before?.secret) };
}

interface Authenticated {
  readonly name: string;
  readonly url: string;
  readonly auth_token?: string | null | undefined;
  readonly headers?: string | null | undefined;
}

/** Credentials stay only with an entry of the same name at the same address. */
function keepCredentials<T extends Authenticated>(
  stored: readonly Authenticated[] | null | undefined,
  update: readonly T[],
): T[] {
  return update.map((entry) => {
    const before = stored?.find(({ name, url }) => name === entry.name && url === entry.url);
    return {
      ...entry,
      auth_token: kept(entry.auth_token, before?.auth_token),
      headers: kept(entry.headers, before?.headers),
    };
  });
}

function kept(given: string | null | undefined, before: string | null | undefined): string | null {
  return given === undefined ? (before ?? null) : given;
}

function present<T extends object>(fields: T): Partial<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}
