import type { z } from 'zod';
import {
  anyDict,
  bool,
  float,
  list,
  model,
  oneOf,
  str,
} from '../../../platform/http/validation/schema-builders.js';
import { headerSecret, orDefault, secretHeaders, secretText, webAddress } from './entry-fields.js';

/** The events that an event webhook can receive. */
export const EVENT_NAMES = [
  'call.started',
  'call.completed',
  'test',
  'call.failed',
  'recording.ready',
  'turn.completed',
  'tool.called',
] as const;

export const AUTH_TYPES = ['none', 'bearer_token', 'api_key', 'custom_headers'] as const;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const EXECUTION_MODES = ['sync', 'async'] as const;
export const MAX_WEBHOOKS = 50;

const eventTimeout = () => float({ ge: 1, le: 30, description: 'Seconds.' });
const toolTimeout = () => float({ ge: 1, le: 60, description: 'Seconds.' });
const eventNames = () =>
  list(oneOf(EVENT_NAMES), { max: MAX_WEBHOOKS }).meta({
    description: 'Empty: call.started, call.completed and test.',
  });
const toolName = () => str({ pattern: /^[a-zA-Z0-9_-]{1,64}$/ });
const text = () => str({ max: 10_000 });

export const EventWebhookInput = model({
  url: webAddress(),
  secret: secretText(),
  events: orDefault(eventNames(), []),
  timeout: orDefault(eventTimeout(), 5),
  enabled: orDefault(bool(), true),
}).meta({ id: 'EventWebhookInput' });
export type EventWebhookInput = z.output<typeof EventWebhookInput>;

export const InboundCallWebhookInput = model({
  url: webAddress(),
  secret: secretText(),
  timeout: orDefault(eventTimeout(), 5),
  enabled: orDefault(bool(), true),
}).meta({ id: 'InboundCallWebhookInput' });
export type InboundCallWebhookInput = z.output<typeof InboundCallWebhookInput>;

export const ToolWebhookInput = model({
  name: toolName(),
  description: orDefault(text(), ''),
  url: webAddress(),
  parameters: orDefault(
    anyDict().meta({
      description: 'A JSON Schema object, or shorthand such as `{"customer_id": "string"}`.',
    }),
    {},
  ),
  method: orDefault(oneOf(METHODS), 'GET'),
  execution_mode: orDefault(oneOf(EXECUTION_MODES), 'sync'),
  auth_type: orDefault(oneOf(AUTH_TYPES), 'none'),
  auth_token: headerSecret(),
  headers: secretHeaders(),
  response: anyDict().nullable().default(null),
  timeout: orDefault(toolTimeout(), 10),
}).meta({ id: 'ToolWebhookInput' });
export type ToolWebhookInput = z.output<typeof ToolWebhookInput>;

/** An event webhook in a response. */
export const EventWebhook = model({
  url: str(),
  has_secret: bool(),
  events: eventNames(),
  timeout: eventTimeout(),
  enabled: bool(),
}).meta({ id: 'EventWebhook' });

/** A tool webhook in a response. */
export const ToolWebhook = model({
  name: toolName(),
  description: text(),
  url: str(),
  parameters: anyDict(),
  method: oneOf(METHODS),
  execution_mode: oneOf(EXECUTION_MODES),
  auth_type: oneOf(AUTH_TYPES),
  response: anyDict().nullable(),
  timeout: toolTimeout(),
}).meta({ id: 'ToolWebhook' });

/** An inbound_call webhook in a response. */
export const InboundCallWebhook = model({
  url: str(),
  has_secret: bool(),
  timeout: eventTimeout(),
  enabled: bool(),
}).meta({ id: 'InboundCallWebhook' });
