import { once } from 'node:events';
import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { makeApiKey } from '../../src/features/auth/api-key.js';
import { JsonWebTokens } from '../../src/features/auth/json-web-tokens.js';
import { isScope, type Scope } from '../../src/platform/http/scopes.js';
import { SecretKeys } from '../../src/platform/secrets/secret-keys.js';
import {
  type Account,
  CONTRACT,
  type ContractRoute,
  type KeyState,
  nameOf,
  SECRET,
  withContractPlane,
} from '../support/harness/app/contract-app.js';
import { ApiDocument, type Operation } from '../support/harness/app/openapi-document.js';
import type { Product } from '../support/harness/process/product.js';
import { PENDING } from './pending-contract.js';

const plane = withContractPlane();
let product: Product;
let api: ApiDocument;
let owner: Account;
let otherAccount: Account;

beforeAll(async () => {
  ({ product, api, owner } = plane());
  otherAccount = await plane().makeAccount();
});

const ask = (...request: Parameters<ReturnType<typeof plane>['ask']>) => plane().ask(...request);
const makeKey = (id: string, scopes: readonly Scope[], state?: KeyState) =>
  plane().makeKey(id, scopes, state);
const pathOf = (operation: Operation) => plane().pathOf(operation);
const bodyOf = (operation: Operation) => plane().bodyOf(operation);

const takesKeys = ({ security }: Operation) => security.some((one) => one.bearer);
const scopeOf = ({ security }: Operation) => security[0]?.bearer?.[0];

describe('OpenAPI document', () => {
  it('has every route, status and field of the contract, except for pending ones', () => {
    const operations = new Map(api.operations.map((one) => [nameOf(one), one]));
    const missing = CONTRACT.flatMap((route) => missingOf(route, operations.get(nameOf(route))));
    expect(missing.filter((name) => !(name in PENDING))).toEqual([]);
  });

  it('has examples that match the schemas, for every JSON body', () => {
    for (const operation of api.operations) {
      const bodies = [operation.requestBody, ...Object.values(operation.responses)];
      for (const media of bodies.flatMap((body) => body?.content?.['application/json'] ?? [])) {
        if (media.schema.format === 'binary') continue; // a file in JSON format
        expect(media, nameOf(operation)).toHaveProperty('example');
        expect(api.differences(media.schema, media.example), nameOf(operation)).toEqual([]);
      }
    }
  });
});

function missingOf(route: ContractRoute, operation: Operation | undefined): readonly string[] {
  const name = nameOf(route);
  if (!operation) return [name];
  const answer = ApiDocument.schemaOf(operation.responses[route.status]);
  const body = ApiDocument.schemaOf(operation.requestBody);
  const parameters = operation.parameters.map((one) => one.name);
  const list = (what: string, wanted: readonly string[], has: (one: string) => boolean) =>
    wanted.filter((one) => !has(one)).map((one) => `${name}: ${what} ${one}`);
  const statuses = [route.status, ...route.errors].map(String);
  return [
    ...list('status', statuses, (status) => status in operation.responses),
    ...list('query', route.query, (field) => parameters.includes(field)),
    ...list('body', route.body, (field) => api.hasField(body, field)),
    ...list('answer', route.answer, (field) => api.hasField(answer, field)),
  ];
}

describe('routes', () => {
  it('accept the example of their body and answer as documented', async () => {
    for (const operation of api.operations.filter(takesKeys).sort(deletesLast)) {
      const body = bodyOf(operation);
      const answer = await ask(operation.method, pathOf(operation), { bearer: owner.key, body });
      const documentedResponse = operation.responses[answer.status];
      const about = `${nameOf(operation)}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`;
      expect(documentedResponse, about).toBeDefined();
      expect([422, 500], about).not.toContain(answer.status);
      const schema = documentedResponse.content?.['application/json']?.schema;
      if (answer.isJson) expect(api.differences(schema, answer.body), about).toEqual([]);
    }
  });
});

/** Routes that delete resources come last. */
function deletesLast(left: Operation, right: Operation): number {
  const rank = ({ method, path }: Operation) =>
    (method === 'DELETE' ? 2 : 0) + (path.endsWith('/disable') ? 1 : 0);
  return rank(left) - rank(right);
}

it.each(Object.entries(PENDING))('%s is still pending', async (name, pending) => {
  const operation = api.operations.find((one) => nameOf(one) === name);
  if (!operation) return; // the test of the document allows missing pending routes
  const request = { bearer: owner.key, body: bodyOf(operation) };
  const answer = await ask(operation.method, pathOf(operation), request);
  expect(answer.status).toBe(pending.status);
  expect(answer.body).toMatchObject(pending.body ?? {});
});

describe('access', () => {
  beforeAll(async () => {
    await plane().renewResources();
  });

  const UNAUTHORIZED = [401, 'UNAUTHORIZED'];

  it.each([
    ['no key', async () => undefined],
    ['an unknown key', async () => makeApiKey().text],
    ['a malformed key', async () => 'nonsense'],
    ['an expired key', async () => makeKey(owner.id, ['*'], { expiresAt: new Date(1) })],
    ['an inactive key', async () => makeKey(owner.id, ['*'], { isActive: false })],
    ['a revoked key', makeRevokedKey],
    ['an expired token', () => makeToken(SECRET, Date.now() - 60_000)],
    [
      'a token signed with another secret',
      () => makeToken('the secret of another place', Date.now() + 60_000),
    ],
  ])('is refused with %s', async (_, makeBearer) => {
    const bearer = await makeBearer();
    for (const operation of api.operations) {
      const request = { bearer, body: bodyOf(operation) };
      const { status, headers, body } = await ask(operation.method, pathOf(operation), request);
      if (operation.security.some((one) => one.signed_link)) {
        expect([status, body.code], nameOf(operation)).toEqual([403, 'FORBIDDEN']);
        continue;
      }
      expect([status, body.code], nameOf(operation)).toEqual(UNAUTHORIZED);
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('is refused without the scope of the route, and the error names the scope', async () => {
    for (const operation of api.operations.filter(takesKeys)) {
      const scope = scopeOf(operation);
      if (scope === undefined) continue;
      const bearer = await keyWithout(scope);
      const request = { bearer, body: bodyOf(operation) };
      const { status, body } = await ask(operation.method, pathOf(operation), request);
      expect([status, body.code], nameOf(operation)).toEqual([403, 'FORBIDDEN']);
      expect(body.detail).toContain(scope);
    }
  });

  it('to the resources of another account returns 404 and changes nothing', async () => {
    const isAboutOne = (operation: Operation) =>
      operation.path.includes('{') || bodyNames(operation, 'agent_id');
    for (const operation of api.operations.filter(takesKeys).filter(isAboutOne)) {
      const request = { bearer: otherAccount.key, body: bodyOf(operation) };
      const { status } = await ask(operation.method, pathOf(operation), request);
      expect(status, nameOf(operation)).toBe(404);
    }
    for (const path of ['/agent/{agent_id}', '/knowledge-base/{kb_id}', '/auth/api-key/{key_id}']) {
      const operation = api.operations.find((one) => one.path === `/api/v1${path}`)!;
      const { status } = await ask('GET', pathOf(operation), { bearer: owner.key });
      expect(status, path).toBe(200);
    }
  });
});

it.each(['/api/v1/tts/stream', '/api/v1/tts/multi-stream'])(
  'the socket %s requires a key with its scope',
  async (path) => {
    expect(await upgradeStatus(path, undefined)).toBe(401);
    expect(await upgradeStatus(path, makeApiKey().text)).toBe(401);
    const expired = await makeKey(owner.id, ['*'], { expiresAt: new Date(1) });
    expect(await upgradeStatus(path, expired)).toBe(401);
    expect(await upgradeStatus(path, await makeRevokedKey())).toBe(401);
    expect(await upgradeStatus(path, await keyWithout('speech'))).toBe(403);
    expect(await upgradeStatus(path, owner.key)).toBe(101);
  },
);

/** The HTTP status of the response to an upgrade request; 101 if the socket opens. */
async function upgradeStatus(path: string, bearer: string | undefined): Promise<number> {
  const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  const socket = new WebSocket(product.url.replace(/^http/, 'ws') + path, { headers });
  socket.on('error', () => undefined); // emitted after the response
  const refused = once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode);
  const status = await Promise.race([refused, once(socket, 'open').then(() => 101)]);
  socket.terminate();
  return status;
}

const bodyNames = (operation: Operation, field: string) =>
  operation.requestBody?.content['application/json']?.example?.[field] !== undefined;

async function makeRevokedKey(): Promise<string> {
  const made = await ask('POST', '/api/v1/auth/api-key', {
    bearer: owner.key,
    body: { name: 'Revoked' },
  });
  const key: string = made.body.api_key;
  expect((await ask('GET', '/api/v1/models', { bearer: key })).status).toBe(200);
  const path = `/api/v1/auth/api-key/${made.body.key_info.id}`;
  expect((await ask('DELETE', path, { bearer: owner.key })).status).toBe(204);
  return key;
}

function makeToken(secret: string, expiresMs: number): Promise<string> {
  return new JsonWebTokens(new SecretKeys([secret])).issue(owner.id, ['*'], new Date(expiresMs));
}

const keysWithout = new Map<string, Promise<string>>();

/** A key with all scopes except one. */
function keyWithout(scope: string): Promise<string> {
  const scopes = new Set(api.operations.map(scopeOf).filter((one) => one && one !== scope));
  const key = keysWithout.get(scope) ?? makeKey(owner.id, [...scopes].filter(isKnownScope));
  keysWithout.set(scope, key);
  return key;
}

function isKnownScope(scope: string | undefined): scope is Scope {
  return scope !== undefined && isScope(scope);
}
