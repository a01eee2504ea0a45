import type { z } from 'zod';
import type { Agent } from '../agents/agent.model.js';
import type { ManagedTools } from '../agents/config/managed-tools.schema.js';
import type { GoogleStatus } from './google.schema.js';

/** The OAuth 2.0 scope that each tool needs. Source: Google's list of scopes. */
const SCOPES: Readonly<Record<keyof ManagedTools, string>> = {
  google_calendar: 'https://www.googleapis.com/auth/calendar.events',
  google_sheets: 'https://www.googleapis.com/auth/spreadsheets',
  google_gmail: 'https://www.googleapis.com/auth/gmail.send',
};

/** The status of an agent without a linked Google account. */
export function presentNotLinked({ id, config }: Agent): z.output<typeof GoogleStatus> {
  const tools = Object.entries(SCOPES) as [keyof ManagedTools, string][];
  const required = tools
    .filter(([tool]) => config.managed_tools?.[tool]?.enabled)
    .map(([, scope]) => scope);
  return {
    connected: false,
    agent_id: id,
    email: null,
    expires_at: null,
    granted_scopes: [],
    scopes: [],
    required_scopes: required,
    missing_scopes: required,
    reconnect_required: false,
  };
}
