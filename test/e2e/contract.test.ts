import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { AccountsRepository } from '../../src/keys/accounts.repository.js';
import { makeApiKey } from '../../src/keys/api-key.js';
import { ApiKeysRepository } from '../../src/keys/api-keys.repository.js';
import { JsonWebTokens } from '../../src/keys/json-web-tokens.js';
import { isScope, type Scope } from '../../src/keys/scopes.js';
import { SecretKeys } from '../../src/secrets/secret-keys.js';
import { ApiDocument, type Operation } from '../support/api-document.js';
import { insertCall } from '../support/call-rows.js';
import { withDatabase } from '../support/database.js';
import { PENDING } from '../support/pending-contract.js';
import { type Product, startProduct } from '../support/product.js';

/** The contract, written down route by route from its two documents. */
interface ContractRoute {
  readonly source: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly body: readonly string[];
  readonly status: number;
  readonly answer: readonly string[];
  readonly errors: readonly number[];
}

const SECRET = 'the secret of the contract test';
const CONTRACT: readonly ContractRoute[] = JSON.parse(
  readFileSync('test/fixtures/contract.json', 'utf8'),
);

const database = withDatabase();
let product: Product;
let api: ApiDocument;
let owner: Account;
let stranger: Account;
/** The owner's resources, by the names of path parameters and fields. */
let resources: Readonly<Record<string, string>>;

interface Account {
  readonly id: string;
  readonly key: string;
}

beforeAll(async () => {
  const { host, port, user, database: name } = database.connection;
  product = await startProduct({
    env: {
      DATABASE_URL: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}&port=${port}`,
      SECRET_KEY: SECRET,
      // Never called: what would call them is pending.
      TWILIO_ACCOUNT_SID: 'AC0001',
      TWILIO_AUTH_TOKEN: 'test_auth_token',
      TWILIO_BASE_URL: 'http://127.0.0.1:9',
      REQUESTS_PER_MINUTE: '0',
      FAILED_AUTHS_PER_MINUTE: '0',
    },
  });
  api = new ApiDocument(await (await fetch(`${product.url}/openapi.json`)).json());
  owner = await makeAccount();
  stranger = await makeAccount();
  resources = await makeResources();
});
afterAll(() => product?.stop());

async function makeAccount(): Promise<Account> {
  const id = await new AccountsRepository(database.db).insert('An account of a test');
  return { id, key: await makeKey(id, ['*']) };
}

interface KeyState {
  readonly isActive?: boolean;
  readonly expiresAt?: Date | null;
}

async function makeKey(
  accountId: string,
  scopes: readonly Scope[],
  { isActive = true, expiresAt = null }: KeyState = {},
): Promise<string> {
  const key = makeApiKey();
  const fields = { name: 'test', description: null, isActive, expiresAt, scopes };
  await new ApiKeysRepository(database.db).insert(accountId, key, fields);
  return key.text;
}

interface Asked {
  readonly bearer?: string | undefined;
  readonly body?: unknown;
}

async function ask(method: string, path: string, { bearer, body }: Asked = {}) {
  const isForm = body instanceof FormData;
  const response = await fetch(`${product.url}${path}`, {
    method,
    headers: {
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  const isJson = response.headers.get('content-type')?.includes('application/json');
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    isJson,
    body: isJson ? JSON.parse(text) : text,
  };
}

async function makeResources(): Promise<Readonly<Record<string, string>>> {
  const make = async (path: string, body: unknown) =>
    (await ask('POST', `/api/v1${path}`, { bearer: owner.key, body })).body;
  const agent = await make('/agent', { name: 'Pool', config: {} });
  const knowledge = await make('/knowledge-base', { documents: [{ content: 'We open at six.' }] });
  const dictionary = await make('/tts/pronunciation-dictionaries/add-from-rules', {
    name: 'Names',
  });
  const key = await make('/auth/api-key', { name: 'Spare', scopes: [] });
  const callId = await insertCall(database.db, {
    accountId: owner.id,
    startedAt: new Date(),
    turns: [{ role: 'user', text: 'Hi.' }],
  });
  return {
    agent_id: agent.agent_id,
    kb_id: String(knowledge.kb_id),
    dictionary_id: dictionary.id,
    version: '1',
    key_id: String(key.key_info.id),
    call_id: callId,
    file: 'transcript.json',
    voice_id: await makePrivateVoice(),
    // Its agent, which the same path names, is looked for first.
    delivery_id: 'nobody',
  };
}

/** The visible ones may be read by everybody. */
async function makePrivateVoice(): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob(['RIFF\0\0\0\0WAVEfmt ']), 'voice.wav');
  form.set('voice_visibility', 'PRIVATE');
  const { body } = await ask('POST', '/api/v1/tts/clone-voice', { bearer: owner.key, body: form });
  expect(body.voice_id).toEqual(expect.any(String));
  return body.voice_id;
}

/** The path with the owner's resources in it; a test that does not know one fails. */
function pathOf({ path }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    expect(resources, `a resource for ${path}`).toHaveProperty(name);
    return resources[name]!;
  });
}

/** The example of a body, about the owner's resources. */
function bodyOf(operation: Operation): unknown {
  const content = operation.requestBody?.content;
  if (!content) return undefined;
  if (!content['application/json']) {
    const form = new FormData();
    form.set('file', new Blob(['none of the formats']), 'file.bin');
    form.set('name', 'Names');
    form.set('language', 'en');
    return form;
  }
  const example = content['application/json'].example;
  expect(example, `${operation.method} ${operation.path} has an example`).toBeDefined();
  const { agent_id, kb_id } = resources;
  return {
    ...example,
    ...(example.agent_id !== undefined && { agent_id }),
    ...(example.kb_id !== undefined && { kb_id: Number(kb_id) }),
  };
}

const nameOf = ({ method, path }: { method: string; path: string }) =>
  `${method} ${path.replace(/\/$/, '')}`;
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
        expect(api.faults(media.schema, media.example), nameOf(operation)).toEqual([]);
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
      if (answer.isJson) expect(api.faults(schema, answer.body), about).toEqual([]);
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
  const [method, path] = name.split(' ') as [string, string];
  const operation = api.operations.find((one) => nameOf(one) === name);
  if (!operation) return; // the document lacks it, which the test of the document allows
  const { agent_id } = await makeCallingAgent();
  const body = bodyOf(operation);
  const asked = {
    bearer: owner.key,
    body: path.includes('{agent_id}') || body === undefined ? body : { ...body, agent_id },
  };
  const answer = await ask(method, pathOf(operation), asked);
  expect(answer.status).toBe(pending.status);
  expect(answer.body).toMatchObject(pending.body ?? {});
});

/** A deployed agent that may call out. */
async function makeCallingAgent(): Promise<{ readonly agent_id: string }> {
  const config = { allow_outbound_calling: true, outbound_contacts: { Ann: '+14155550100' } };
  const asked = { bearer: owner.key, body: { name: 'Caller', config } };
  const { body } = await ask('POST', '/api/v1/agent', asked);
  const path = `/api/v1/agent/${body.agent_id}/deploy`;
  expect((await ask('POST', path, { bearer: owner.key })).status).toBe(200);
  return body;
}

describe('who may enter', () => {
  beforeAll(async () => {
    resources = await makeResources();
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
