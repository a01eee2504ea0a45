import { bool, list, model, str } from '../../platform/http/validation/schema-builders.js';
import { ManagedTools } from '../agents/config/managed-tools.schema.js';

export const StartLinking = model({
  return_path: str({
    max: 2_048,
    pattern: /^\/(?![/\\])/,
    description: 'Path of this server to which the browser is redirected afterwards.',
  })
    .nullable()
    .optional(),
  managed_tools: ManagedTools.nullable().optional(),
}).meta({ id: 'StartGoogleLinking' });

export const LinkingStarted = model({
  auth_url: str(),
  requested_scopes: list(str()),
}).meta({ id: 'GoogleLinkingStarted' });

export const GoogleStatus = model({
  connected: bool(),
  agent_id: str(),
  error: str().nullable().optional(),
  email: str().nullable(),
  expires_at: str({ format: 'date-time' }).nullable(),
  granted_scopes: list(str()),
  scopes: list(str()),
  required_scopes: list(str()),
  missing_scopes: list(str()),
  reconnect_required: bool(),
}).meta({ id: 'GoogleStatus' });

export const GoogleDisconnected = model({ disconnected: bool(), agent_id: str() }).meta({
  id: 'GoogleDisconnected',
});
