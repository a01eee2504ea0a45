import type { McpServerConfig } from '../../../../agents-runtime/contract/agent-config.js';
import { decryptCredentials, sealCredentials, type WithSealedCredentials } from './credentials.js';
import type { McpServer, McpServerInput } from './mcp-servers.schema.js';
import type { RuntimeContext, Seal } from './settings-table.js';

/** The credentials are encrypted. */
export type StoredMcpServer = WithSealedCredentials<McpServerInput>;

export function sealMcpServers(servers: readonly McpServerInput[], seal: Seal): StoredMcpServer[] {
  return servers.map((server) => sealCredentials(server, seal));
}

export function presentMcpServers(stored: readonly StoredMcpServer[] = []): McpServer[] {
  return stored.map(({ auth_token, headers, ...rest }) => ({
    ...rest,
    has_auth_token: Boolean(auth_token),
    has_headers: Boolean(headers),
  }));
}

export function runtimeMcpServers(
  stored: readonly StoredMcpServer[] | null,
  { decrypt }: RuntimeContext,
): McpServerConfig[] {
  return (stored ?? []).map((server) => ({
    name: server.name,
    description: server.description,
    url: server.url,
    transport: new URL(server.url).pathname.endsWith('/mcp') ? 'streamable-http' : 'sse',
    authentication: decryptCredentials(server, decrypt),
  }));
}
