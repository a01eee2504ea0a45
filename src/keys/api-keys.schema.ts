import type { z } from 'zod';
import { Refused, toText } from '../http/coerce.js';
import { bool, custom, int, list, model, oneOf, str } from '../http/fields.js';
import { SCOPES } from './scopes.js';

const name = () => str({ min: 1, max: 100 });
const description = () => str({ max: 500 });
const scopes = () => list(oneOf(SCOPES), { max: 50 });

/** `2026-02-10T12:00:00Z`, with an offset or without (then UTC), or a day. */
const ISO_8601 =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d{2}:?\d{2})?)?$/i;

function dateTime() {
  return custom(readDateTime, { type: 'string', format: 'date-time' });
}

function readDateTime(value: unknown): Date | Refused {
  const text = toText(value);
  if (text instanceof Refused) {
    return new Refused('datetime_type', 'Input should be a valid datetime');
  }
  const match = ISO_8601.exec(text);
  const hasTime = text.length > 10;
  const date = new Date(match && hasTime && !match.groups?.zone ? `${text}Z` : text);
  if (match && !Number.isNaN(date.getTime()) && isDay(text.slice(0, 10))) return date;
  const error = 'invalid character in year';
  return new Refused('datetime_parsing', `Input should be a valid datetime, ${error}`, { error });
}

/** JavaScript takes 30 February for 2 March. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

export const CreateApiKey = model({
  name: name(),
  description: description().nullable().optional(),
  expires_at: dateTime().nullable().optional(),
  scopes: scopes()
    .nullable()
    .optional()
    .meta({ description: 'Default: those of the key that asks.' }),
}).meta({ id: 'CreateApiKey' });

export const UpdateApiKey = model({
  name: name().optional(),
  description: description().nullable().optional(),
  is_active: bool().optional(),
  expires_at: dateTime().nullable().optional(),
  scopes: scopes().optional(),
}).meta({ id: 'UpdateApiKey' });
export type UpdateApiKey = z.output<typeof UpdateApiKey>;

export const ApiKeyBody = model({
  id: int(),
  name: name(),
  description: description().nullable(),
  is_active: bool(),
  scopes: scopes(),
  created_at: str({ format: 'date-time' }),
  last_used_at: str({ format: 'date-time' }).nullable(),
  expires_at: str({ format: 'date-time' }).nullable(),
}).meta({ id: 'ApiKey' });
export type ApiKeyBody = z.output<typeof ApiKeyBody>;

export const ApiKeyList = model({ api_keys: list(ApiKeyBody), total_keys: int() }).meta({
  id: 'ApiKeyList',
});

export const NewApiKeyBody = model({
  api_key: str({ description: 'The key itself, shown this once.' }),
  key_info: ApiKeyBody,
}).meta({ id: 'NewApiKey' });
