import type { Authentication } from '../../../agents-runtime/contract/agent-config.js';

/** Headers that the HTTP client sets. Source: RFC 9110, section 7.6.1. */
const CONNECTION_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The configured headers and the authentication header. Names are lower case. */
export function authHeaders({ type, token, headers }: Authentication): Record<string, string> {
  const own = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !CONNECTION_HEADERS.has(name));
  return {
    ...Object.fromEntries(own),
    ...(type === 'bearer_token' && token && { authorization: `Bearer ${token}` }),
    ...(type === 'api_key' && token && { 'x-api-key': token }),
  };
}
