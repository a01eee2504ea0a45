import type { z } from 'zod';
import {
  bool,
  list,
  model,
  oneOf,
  str,
} from '../../../platform/http/validation/schema-builders.js';
import { AUTH_TYPES } from './agent-webhooks.schema.js';
import { headerSecret, orDefault, secretHeaders, webAddress } from './entry-fields.js';

const MAX_SERVERS = 20;
const serverName = () => str({ min: 1, max: 200 });
const text = () => str({ max: 10_000 });

const McpServerInput = model({
  name: serverName(),
  url: webAddress().meta({
    description: 'A path that ends with `/mcp` uses streamable HTTP, any other path SSE.',
  }),
  description: orDefault(text(), ''),
  auth_type: orDefault(oneOf(AUTH_TYPES), 'none'),
  auth_token: headerSecret(),
  headers: secretHeaders(),
}).meta({ id: 'McpServerInput' });
export type McpServerInput = z.output<typeof McpServerInput>;

export const McpServersInput = list(McpServerInput, { max: MAX_SERVERS });

const McpServer = model({
  name: serverName(),
  url: str(),
  description: text(),
  auth_type: oneOf(AUTH_TYPES),
  has_auth_token: bool(),
  has_headers: bool(),
}).meta({ id: 'McpServer' });
export type McpServer = z.output<typeof McpServer>;

export const McpServers = list(McpServer);
