import type { z } from 'zod';
import { SCOPES } from '../../platform/http/scopes.js';
import { dateTime } from '../../platform/http/validation/date-time.js';
import {
  bool,
  int,
  list,
  model,
  oneOf,
  str,
} from '../../platform/http/validation/schema-builders.js';

const name = () => str({ min: 1, max: 100 });
const description = () => str({ max: 500 });
const scopes = () => list(oneOf(SCOPES), { max: 50 });

export const CreateApiKey = model({
  name: name(),
  description: description().nullable().optional(),
  expires_at: dateTime().nullable().optional(),
  scopes: scopes()
    .nullable()
    .optional()
    .meta({ description: 'Default: the scopes of the key that sends the request.' }),
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
  api_key: str({ description: 'The text of the key. It is shown only here.' }),
  key_info: ApiKeyBody,
}).meta({ id: 'NewApiKey' });
