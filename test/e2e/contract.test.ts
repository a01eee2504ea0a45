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
let stranger: Account;

beforeAll(async () => {
  ({ product, api, owner } = plane());
  stranger = await plane().makeAccount();
});

const ask = (...asked: Parameters<ReturnType<typeof plane>['ask']>) => plane().ask(...asked);
const makeKey = (id: string, scopes: readonly Scope[], state?: KeyState) =>
  plane().makeKey(id, scopes, state);
const pathOf = (operation: Operation) => plane().pathOf(operation);
const bodyOf = (operation: Operation) => plane().bodyOf(operation);

const takesKeys = ({ security }: Operation) => security.some((one) => one.bearer);
const scopeOf = ({ security }: Operation) => security[0]?.bearer?.[0];

describe('the document', () => {
  it('has every route, status and field of the contract, but what is pending', () => {
    const operations = new Map(api.operations.map((one) => [nameOf(one), one]));
    const missing = CONTRACT.flatMap((route) => missingOf(route, operations.get(nameOf(route))));
    expect(missing.filter((name) => !(name in PENDING))).toEqual([]);
  });

  it('shows examples that fit the schemas, for every body in JSON', () => {
    for (const operation of api.operations) {
      const bodies = [operation.requestBody, ...Object.values(operation.responses)];
      for (const media of bodies.flatMap((body) => body?.content?.['application/json'] ?? [])) {
        if (media.schema.format === 'binary') continue; // a file that is JSON
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

describe('every route', () => {
  it('takes the example of its body, and answers as the document says', async () => {
    for (const operation of api.operations.filter(takesKeys).sort(deletesLast)) {
      const body = bodyOf(operation);
      const answer = await ask(operation.method, pathOf(operation), { bearer: owner.key, body });
      const told = operation.responses[answer.status];
      const about = `${nameOf(operation)}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`;
      expect(told, about).toBeDefined();
      expect([422, 500], about).not.toContain(answer.status);
      const schema = told.content?.['application/json']?.schema;
      if (answer.isJson) expect(api.differences(schema, answer.body), about).toEqual([]);
    }
  });
});

/** What is deleted is missed by the routes after it. */
function deletesLast(left: Operation, right: Operation): number {
  const rank = ({ method, path }: Operation) =>
    (method === 'DELETE' ? 2 : 0) + (path.endsWith('/disable') ? 1 : 0);
  return rank(left) - rank(right);
}

it.each(Object.entries(PENDING))('%s is still pending', async (name, pending) => {
  const operation = api.operations.find((one) => nameOf(one) === name);
  if (!operation) return; // the document lacks it, which the test of the document allows
  const asked = { bearer: owner.key, body: bodyOf(operation) };
  const answer = await ask(operation.method, pathOf(operation), asked);
  expect(answer.status).toBe(pending.status);
  expect(answer.body).toMatchObject(pending.body ?? {});
});

describe('who may enter', () => {
  beforeAll(async () => {
    await plane().renewResources();
  });

  const UNAUTHORIZED = [401, 'UNAUTHORIZED'];

  it.each([
    ['no key', async () => undefined],
    ['a key that was never made', async () => makeApiKey().text],
    ['what has not the form of a key', async () => 'nonsense'],
    ['a key that has expired', async () => makeKey(owner.id, ['*'], { expiresAt: new Date(1) })],
    ['a key that is switched off', async () => makeKey(owner.id, ['*'], { isActive: false })],
    ['a key that was revoked', makeRevokedKey],
    ['a token that has expired', () => makeToken(SECRET, Date.now() - 60_000)],
    [
      'a token of somebody else',
      () => makeToken('the secret of another place', Date.now() + 60_000),
    ],
  ])('is not who has %s', async (_, makeBearer) => {
    const bearer = await makeBearer();
    for (const operation of api.operations) {
      const asked = { bearer, body: bodyOf(operation) };
      const { status, headers, body } = await ask(operation.method, pathOf(operation), asked);
      if (operation.security.some((one) => one.signed_link)) {
        expect([status, body.code], nameOf(operation)).toEqual([403, 'FORBIDDEN']);
        continue;
      }
      expect([status, body.code], nameOf(operation)).toEqual(UNAUTHORIZED);
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('is not whose key lacks the scope of the route, which is named', async () => {
    for (const operation of api.operations.filter(takesKeys)) {
      const scope = scopeOf(operation);
      if (scope === undefined) continue;
      const bearer = await keyWithout(scope);
      const asked = { bearer, body: bodyOf(operation) };
      const { status, body } = await ask(operation.method, pathOf(operation), asked);
      expect([status, body.code], nameOf(operation)).toEqual([403, 'FORBIDDEN']);
      expect(body.detail).toContain(scope);
    }
  });

  it('is not another account: what is not its own is 404, and stays as it is', async () => {
    const isAboutOne = (operation: Operation) =>
      operation.path.includes('{') || bodyNames(operation, 'agent_id');
    for (const operation of api.operations.filter(takesKeys).filter(isAboutOne)) {
      const asked = { bearer: stranger.key, body: bodyOf(operation) };
      const { status } = await ask(operation.method, pathOf(operation), asked);
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
  'the socket %s is opened by a key with its scope only',
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

/** The HTTP status with which an upgrade is answered; 101 opens the socket. */
async function upgradeStatus(path: string, bearer: string | undefined): Promise<number> {
  const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  const socket = new WebSocket(product.url.replace(/^http/, 'ws') + path, { headers });
  socket.on('error', () => undefined); // follows the answer
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

/** A key to everything but one scope. */
function keyWithout(scope: string): Promise<string> {
  const scopes = new Set(api.operations.map(scopeOf).filter((one) => one && one !== scope));
  const key = keysWithout.get(scope) ?? makeKey(owner.id, [...scopes].filter(isKnownScope));
  keysWithout.set(scope, key);
  return key;
}

function isKnownScope(scope: string | undefined): scope is Scope {
  return scope !== undefined && isScope(scope);
}
