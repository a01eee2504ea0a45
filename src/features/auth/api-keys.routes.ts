import type { z } from 'zod';
import { ApiError } from '../../platform/http/api-error.js';
import {
  type Principal,
  type Route,
  type RouteResponse,
  reply,
  route,
} from '../../platform/http/route.js';
import { isGranted, isScope, type Scope } from '../../platform/http/scopes.js';
import { model, str } from '../../platform/http/validation/schema-builders.js';
import { throwNotFound } from '../ownership/throw-not-found.js';
import { makeApiKey } from './api-key.js';
import type { ApiKeyFields, ApiKeyInfo, ApiKeysRepository } from './api-keys.repository.js';
import {
  ApiKeyBody,
  ApiKeyList,
  CreateApiKey,
  NewApiKeyBody,
  UpdateApiKey,
} from './api-keys.schema.js';
import type { ApiKeyAuthenticator } from './authenticator.js';

const MAX_KEYS = 1_000;
const MAX_INT4 = 2_147_483_647;
const PATH = '/auth/api-key';
const COMMON = { scope: 'keys', tag: 'API keys' } as const;
const KeyPath = model({ key_id: str() });
const NO_SUCH_KEY: RouteResponse = { description: 'No such key' };

export interface ApiKeyRouteParts {
  readonly apiKeys: ApiKeysRepository;
  readonly authenticator: ApiKeyAuthenticator;
}

/** `/auth/api-key`: the keys of an account. The text of a key is shown once, when it is created. */
export function apiKeyRoutes(parts: ApiKeyRouteParts): readonly Route[] {
  return [...collectionRoutes(parts), ...oneKeyRoutes(parts)];
}

function collectionRoutes({ apiKeys }: ApiKeyRouteParts): readonly Route[] {
  return [
    route({
      ...COMMON,
      method: 'get',
      path: PATH,
      summary: 'List API keys',
      responses: { 200: { description: 'The keys, newest first', schema: ApiKeyList } },
      async handle({ principal }) {
        const found = await apiKeys.list(principal.accountId);
        return { api_keys: found.map(toBody), total_keys: found.length };
      },
    }),
    route({
      ...COMMON,
      method: 'post',
      path: PATH,
      summary: 'Create an API key',
      isIdempotent: true,
      body: CreateApiKey,
      responses: {
        201: { description: 'The key. Its text is shown only here', schema: NewApiKeyBody },
        409: {
          description:
            'SECRET_ALREADY_SHOWN for a repetition, or the first request with this Idempotency-Key is still running',
        },
      },
      repeatPolicy: { keep: withoutSecret, restore: secretAlreadyShown },
      authorize: ({ principal, body }) => requireGrantable(principal, body.scopes ?? []),
      async handle({ principal, body }) {
        const scopes = body.scopes ?? principal.scopes.filter(isScope);
        if ((await apiKeys.count(principal.accountId)) >= MAX_KEYS) {
          throw new ApiError(
            'FORBIDDEN',
            `The account has ${MAX_KEYS} API keys, the maximum: delete one first`,
          );
        }
        const key = makeApiKey();
        const info = await apiKeys.insert(principal.accountId, key, {
          name: body.name,
          description: body.description ?? null,
          scopes: unique(scopes),
          isActive: true,
          expiresAt: body.expires_at ?? null,
        });
        return reply(201, { api_key: key.text, key_info: toBody(info) });
      },
    }),
  ];
}

function oneKeyRoutes({ apiKeys, authenticator }: ApiKeyRouteParts): readonly Route[] {
  return [
    route({
      ...COMMON,
      method: 'get',
      path: `${PATH}/{key_id}`,
      summary: 'Read an API key',
      params: KeyPath,
      responses: { 200: { description: 'The key', schema: ApiKeyBody }, 404: NO_SUCH_KEY },
      async handle({ principal, params }) {
        return toBody(await findOrThrow(apiKeys, principal, params.key_id));
      },
    }),
    route({
      ...COMMON,
      method: 'put',
      path: `${PATH}/{key_id}`,
      summary: 'Update an API key',
      description: 'Missing fields stay unchanged.',
      params: KeyPath,
      body: UpdateApiKey,
      responses: { 200: { description: 'The key', schema: ApiKeyBody }, 404: NO_SUCH_KEY },
      async handle({ principal, params, body }) {
        const before = await findOrThrow(apiKeys, principal, params.key_id);
        const change = toFields(body);
        // Activating or extending a key with more scopes would grant these scopes.
        if (change.scopes || change.isActive || change.expiresAt !== undefined) {
          requireGrantable(principal, change.scopes ?? before.scopes);
        }
        const isEmpty = Object.keys(change).length === 0;
        const after = isEmpty
          ? before
          : await apiKeys.update(principal.accountId, before.id, change);
        authenticator.forget();
        return toBody(after ?? throwNotFound('API key', params.key_id));
      },
    }),
    route({
      ...COMMON,
      method: 'delete',
      path: `${PATH}/{key_id}`,
      summary: 'Delete an API key',
      params: KeyPath,
      responses: { 204: { description: 'The key no longer exists' }, 404: NO_SUCH_KEY },
      async handle({ principal, params }) {
        const { id } = await findOrThrow(apiKeys, principal, params.key_id);
        await apiKeys.delete(principal.accountId, id);
        authenticator.forget();
        return reply(204);
      },
    }),
  ];
}

async function findOrThrow(
  keys: ApiKeysRepository,
  principal: Principal,
  text: string,
): Promise<ApiKeyInfo> {
  const id = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  const found = id <= MAX_INT4 ? await keys.find(principal.accountId, id) : undefined;
  return found ?? throwNotFound('API key', text);
}

/** @throws ApiError FORBIDDEN if the caller would grant a scope that it lacks */
function requireGrantable(principal: Principal, scopes: readonly Scope[]): void {
  const lacking = scopes.filter((scope) => !isGranted(principal.scopes, scope));
  if (lacking.length === 0) return;
  throw new ApiError('FORBIDDEN', 'An API key cannot grant a scope that it lacks', {
    detail: `Missing scope: ${lacking.join(', ')}`,
  });
}

function toFields(body: UpdateApiKey): Partial<ApiKeyFields> {
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.description !== undefined && { description: body.description }),
    ...(body.is_active !== undefined && { isActive: body.is_active }),
    ...(body.expires_at !== undefined && { expiresAt: body.expires_at }),
    ...(body.scopes !== undefined && { scopes: unique(body.scopes) }),
  };
}

function withoutSecret(body: unknown): unknown {
  return { key_info: (body as z.output<typeof NewApiKeyBody>).key_info };
}

async function secretAlreadyShown(kept: unknown): Promise<never> {
  const { id } = (kept as Pick<z.output<typeof NewApiKeyBody>, 'key_info'>).key_info;
  throw new ApiError(
    'SECRET_ALREADY_SHOWN',
    'This request has created a key, which is shown only once',
    {
      detail: `The key has the id ${id}: if its text is lost, delete it and create another one`,
    },
  );
}

function unique(scopes: readonly Scope[]): readonly Scope[] {
  return [...new Set(scopes)];
}

function toBody(info: ApiKeyInfo): ApiKeyBody {
  return {
    id: info.id,
    name: info.name,
    description: info.description,
    is_active: info.isActive,
    scopes: [...info.scopes],
    created_at: info.createdAt.toISOString(),
    last_used_at: info.lastUsedAt?.toISOString() ?? null,
    expires_at: info.expiresAt?.toISOString() ?? null,
  };
}
